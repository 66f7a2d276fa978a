/**
 * Pipes with a name, for the streams of a program. The pipes that Node makes are sockets, and
 * a program that opens /dev/stdout or /dev/stderr cannot open a socket.
 *
 * P1. A pipe is used again only when no process has it open.
 * P2. The end that the program gets blocks, as programs expect; ours does not.
 */
import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { must } from '../../kernel/must.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;

// Making some at once costs as much as making one.
const batch = 32;

export class Fifos implements Disposable {
  readonly #folder: string;
  readonly #free: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;

  /** The folder is made here, and no other user may write to it. */
  constructor(folder: string) {
    this.#folder = folder;
    // What a process before this one left may be open there still.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async take(count: number): Promise<string[]> {
    while (this.#free.length < count) {
      this.#making ??= this.#make().finally(() => {
        this.#making = undefined;
      });
      await this.#making;
    }
    return this.#free.splice(0, count);
  }

  // P1
  giveBack(paths: readonly string[]): void {
    this.#free.push(...paths);
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: batch }, (_, index) =>
      join(this.#folder, String(this.#made + index)),
    );
    this.#made += batch;
    // Open to others, who cannot reach the folder: a program of another uid opens /dev/stdout.
    await run('mkfifo', ['--mode=666', '--', ...paths]);
    this.#free.push(...paths);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const path = '/usr/local/bin:/usr/bin:/bin';
  const child = spawn(program, [...args], { stdio: 'ignore', env: { PATH: path } });
  child.once('error', reject);
  child.once('close', (code) => {
    if (code === 0) resolve();
    else reject(new Error(`${program} ended with ${code}`));
  });
  return promise;
}

/** Two ends of one pipe: ours, and the program's. Each is closed once, by its holder. */
export class OpenPipe {
  readonly path: string;
  #ours: number | undefined;
  #theirs: number | undefined;

  /** `read` what the program writes, or `write` what it reads. P2 */
  static open(path: string, how: 'read' | 'write'): OpenPipe {
    const [first, second] =
      how === 'read' ? [O_RDONLY | O_NONBLOCK, O_WRONLY] : [O_WRONLY | O_NONBLOCK, O_RDONLY];
    // Held for a moment: an end opens at once only where there is another one.
    const both = openSync(path, O_RDWR | O_NONBLOCK);
    const pipe = new OpenPipe(path);
    try {
      pipe.#ours = openSync(path, first);
      pipe.#theirs = openSync(path, second);
      return pipe;
    } catch (failure) {
      pipe.close();
      throw failure;
    } finally {
      closeSync(both);
    }
  }

  private constructor(path: string) {
    this.path = path;
  }

  /** The caller that takes it closes it. */
  takeOurs(): number {
    const ours = taken(this.#ours);
    this.#ours = undefined;
    return ours;
  }

  takeTheirs(): number {
    const theirs = taken(this.#theirs);
    this.#theirs = undefined;
    return theirs;
  }

  /** What is in it now. */
  readNow(): string {
    const bytes = Buffer.alloc(4096);
    try {
      return bytes.toString('utf8', 0, readSync(taken(this.#ours), bytes));
    } catch {
      // Nothing is in it yet.
      return '';
    }
  }

  closeTheirs(): void {
    if (this.#theirs !== undefined) closeSync(this.#theirs);
    this.#theirs = undefined;
  }

  close(): void {
    this.closeTheirs();
    if (this.#ours !== undefined) closeSync(this.#ours);
    this.#ours = undefined;
  }
}

function taken(end: number | undefined): number {
  if (end === undefined) throw new Error('the end of a pipe was taken before');
  return end;
}

export interface BoxPipes {
  readonly stdin: OpenPipe;
  readonly stdout: OpenPipe;
  readonly stderr: OpenPipe;
  /** Over which it is told its command. */
  readonly control: OpenPipe;
  /** What the launcher tells of itself. */
  readonly info: OpenPipe;
}

export async function openPipes(fifos: Fifos): Promise<BoxPipes> {
  const paths = await fifos.take(5);
  const opened: OpenPipe[] = [];
  const open = (index: number, how: 'read' | 'write'): OpenPipe => {
    const pipe = OpenPipe.open(must(paths[index], 'the path of a pipe'), how);
    opened.push(pipe);
    return pipe;
  };
  try {
    return {
      stdin: open(0, 'write'),
      stdout: open(1, 'read'),
      stderr: open(2, 'read'),
      control: open(3, 'write'),
      info: open(4, 'read'),
    };
  } catch (failure) {
    for (const pipe of opened) pipe.close();
    fifos.giveBack(paths);
    throw failure;
  }
}

/** The ends that are the program's, where we have them still. */
export function closeTheirs({ stdin, stdout, stderr, control, info }: BoxPipes): void {
  for (const pipe of [stdin, stdout, stderr, control, info]) pipe.closeTheirs();
}

/** When no process has them open. */
export function releasePipes(
  fifos: Fifos,
  { stdin, stdout, stderr, control, info }: BoxPipes,
): void {
  const all = [stdin, stdout, stderr, control, info];
  for (const pipe of all) pipe.close();
  fifos.giveBack(all.map(({ path }) => path));
}

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
export function reportedPid(pipe: OpenPipe): number | undefined {
  const pid = /"child-pid"\s*:\s*(\d+)/.exec(pipe.readNow())?.[1];
  return pid === undefined ? undefined : Number(pid);
}

// So much is written whole or not at all, and an empty pipe always has room for it.
const atOnceBytes = 4096;

/**
 * Writes all of it and closes the pipe. That a program does not read it is no failure. What takes a
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
