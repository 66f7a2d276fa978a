import type { Socket } from 'node:net';

/** Calls with each line that comes, without its end. */
export function onLines(socket: Socket, onLine: (text: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}
