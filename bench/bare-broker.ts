/**
 * The floor of `relay.socket`, a program of its own: messages are lines of JSON over a unix
 * socket. All that came in one turn is one commit; then each goes to the recipient's
 * connection, and its id to who sent it. `bare-broker.ts LEDGER SOCKET`
 */
import { createServer, type Socket } from 'node:net';
import { onLines } from './bare-lines.ts';
import { openBareRelay } from './bare-relay.ts';

interface Line {
  /** Said once, by who wants the messages that are sent to that name. */
  readonly attach?: string;
  readonly to: string;
  readonly body: string;
}

const [ledger = '', path = ''] = process.argv.slice(2);
const relay = await openBareRelay(ledger);
const attached = new Map<string, Socket>();
let waiting: { readonly from: Socket; readonly line: Line }[] = [];

const server = createServer((socket) => {
  socket.on('error', () => {});
  onLines(socket, (text) => {
    const line: Line = JSON.parse(text);
    if (line.attach !== undefined) attached.set(line.attach, socket);
    else if (waiting.push({ from: socket, line }) === 1) setImmediate(flush);
  });
});
server.listen(path, () => process.stdout.write('ready\n'));

function flush(): void {
  const batch = waiting;
  waiting = [];
  const ids = relay.commit(
    batch.map(({ line: { to, body } }) => ({ from: 'jean', to, body, via: 'push' })),
  );
  const texts = new Map<Socket, string>();
  const say = (socket: Socket | undefined, line: object): void => {
    if (socket === undefined) return;
    texts.set(socket, `${texts.get(socket) ?? ''}${JSON.stringify(line)}\n`);
  };
  for (const [index, { from, line }] of batch.entries()) {
    say(attached.get(line.to), { id: ids[index], from: 'jean', to: line.to, body: line.body });
    say(from, { id: ids[index] });
  }
  for (const [socket, text] of texts) socket.write(text);
}
