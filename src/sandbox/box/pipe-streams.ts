/** The daemon's ends of the pipes of a sandbox. */
import { closeSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { OpenPipe } from './fifos.ts';

export function readFrom(pipe: OpenPipe): Socket {
  const socket = new Socket({ fd: pipe.takeOurs(), readable: true, writable: false });
  // Whatever went wrong, what is there has been read, and it closes.
  socket.on('error', () => {});
  return socket;
}

export function untilClosed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** What `--info-fd` told, if it has by now. */
export function toldPid(pipe: OpenPipe): number | undefined {
  const pid = /"child-pid"\s*:\s*(\d+)/.exec(pipe.readNow())?.[1];
  return pid === undefined ? undefined : Number(pid);
}

// So much is written whole or not at all, and an empty pipe always has room for it.
const atOnceBytes = 4096;

/**
 * Writes all of it and closes the pipe. Who does not read it has their reasons. What takes a
 * while is done by the socket that this gives.
 */
export function feed(pipe: OpenPipe, bytes: Uint8Array): readonly Socket[] {
  const descriptor = pipe.takeOurs();
  if (bytes.length <= atOnceBytes) {
    try {
      if (bytes.length > 0) writeSync(descriptor, bytes);
    } catch {
      // It has ended, which its end tells.
    }
    closeSync(descriptor);
    return [];
  }
  const socket = new Socket({ fd: descriptor, readable: false, writable: true });
  socket.on('error', () => {});
  socket.end(bytes);
  return [socket];
}
