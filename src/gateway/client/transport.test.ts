import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realClock } from '../../engines/clock.ts';
import { socketTransport } from './transport.ts';

test('socketTransport() asks again where the queue of the socket is full', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('full.sock');
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  // One may wait, and nobody is let in while this test has the thread.
  await new Promise<void>((resolve) => server.listen({ path, backlog: 1 }, resolve));
  const transport = socketTransport(realClock, path);
  const request = { method: 'GET', path: '/livez', headers: {}, timeoutMs: 10_000 } as const;

  const answers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { head, body } = await transport.send(request);
      await Array.fromAsync(body);
      return head.status;
    }),
  );

  expect(answers).toEqual(Array(6).fill(204));
  expect(connections).toBe(6);
  await new Promise((resolve) => server.close(resolve));
});

test('socketTransport() gives up in time, and at once when it is no longer wanted', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('full.sock');
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen({ path, backlog: 1 }, resolve));
  const transport = socketTransport(realClock, path);
  const request = { method: 'GET', path: '/livez', headers: {}, timeoutMs: 1 } as const;
  const stop = new AbortController();

  const ends = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => transport.send(request)),
    transport.send({ ...request, timeoutMs: 60_000, signal: stop.signal }),
    Promise.resolve().then(() => stop.abort(new Error('no longer'))),
  ]);

  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(new Set(reasons.slice(0, 20).map(({ code }) => code))).toEqual(
    new Set(['daemon.silent', 'gateway.too-many']),
  );
  expect(reasons[20]?.cause ?? reasons[20]).toMatchObject({ message: 'no longer' });
  await new Promise((resolve) => server.close(resolve));
});
