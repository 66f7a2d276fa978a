import { createServer, type Server, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realClock } from '../../engines/clock.ts';
import { connectTo } from './client.ts';

/** Something that listens like a daemon and answers what the test says. */
async function pretender(path: string, answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const clientOf = (path: string, clock = realClock) => connectTo({ clock, version: '1.2.3' }, path);

test('without a daemon the error says how to start one', async () => {
  await using folder = temporaryFolder();

  const attempt = clientOf(folder.at('aos.sock')).status();

  await expect(attempt).rejects.toMatchObject({ code: 'daemon.down', fix: 'aos up --detach' });
});

test('a daemon that does not answer is named as such, after its time', async () => {
  await using folder = temporaryFolder();
  await using _silent = await pretender(folder.at('aos.sock'), () => {});
  const clock = new SimulatedClock();

  const attempt = clientOf(folder.at('aos.sock'), clock).status({ timeoutMs: 3000 });
  const refusal = expect(attempt).rejects.toMatchObject({
    code: 'daemon.silent',
    fix: 'aos up --takeover',
  });
  await clock.advance(3000);

  await refusal;
});

test('a call that nobody waits for any more ends at once', async () => {
  await using folder = temporaryFolder();
  await using _silent = await pretender(folder.at('aos.sock'), () => {});
  const stop = new AbortController();

  const attempt = clientOf(folder.at('aos.sock')).status({ signal: stop.signal });
  stop.abort(new Error('enough'));

  await expect(attempt).rejects.toThrow('enough');
});

const json = (status: number, content: unknown) => {
  const text = JSON.stringify(content);
  return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

test.each([
  ['hangs up at once', '', 'daemon.down'],
  ['hangs up in the middle', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{', 'daemon.down'],
  ['speaks another language', 'SSH-2.0-x\r\n', 'gateway.strange-answer'],
  [
    'answers with no JSON',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
    'gateway.strange-answer',
  ],
  [
    'answers with a problem of ours',
    json(404, { code: 'agent.unknown', detail: 'No' }),
    'agent.unknown',
  ],
  [
    'answers with an unknown problem',
    json(418, { code: 'tea.pot', detail: 'No' }),
    'gateway.strange-answer',
  ],
  [
    'answers with a code that is no own key',
    json(400, { code: 'toString' }),
    'gateway.strange-answer',
  ],
  ['answers with no problem', json(500, 'oh'), 'gateway.strange-answer'],
])('a daemon that %s is an error in words', async (_what, answer, code) => {
  await using folder = temporaryFolder();
  await using _daemon = await pretender(folder.at('aos.sock'), (socket) => socket.end(answer));

  const attempt = clientOf(folder.at('aos.sock')).status();

  await expect(attempt).rejects.toMatchObject({ code });
});

test("a problem keeps the daemon's sentence, fix and details", async () => {
  await using folder = temporaryFolder();
  const problem = {
    code: 'agent.exists',
    detail: 'It is there',
    fix: 'Another',
    details: { a: 1 },
  };
  await using _daemon = await pretender(folder.at('aos.sock'), (socket) =>
    socket.end(json(409, problem)),
  );

  const attempt = clientOf(folder.at('aos.sock')).register('jean');

  await expect(attempt).rejects.toMatchObject({
    code: 'agent.exists',
    message: 'It is there',
    fix: 'Another',
    details: { a: 1 },
  });
});
