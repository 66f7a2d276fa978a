import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../engines/clock.ts';
import { originOf, tcpTransport } from './tcp-transport.ts';

describe('originOf()', () => {
  test.each([
    ['http://127.0.0.1:7717', 'http://127.0.0.1:7717'],
    ['http://localhost:7717/', 'http://localhost:7717'],
    ['http://[::1]:7717', 'http://[::1]:7717'],
    ['https://Agents.Example.org', 'https://agents.example.org'],
    ['https://agents.example.org:8443', 'https://agents.example.org:8443'],
  ])('%s is %s', (text, origin) => {
    expect(originOf(text).origin).toBe(origin);
  });

  test.each([
    ...['', 'agents.example.org', 'file:///etc/passwd', 'ws://127.0.0.1:1', 'http://127.0.0.1/api'],
    ...['http://127.0.0.1/?a=1', 'http://user:word@127.0.0.1', 'http://127.0.0.1#x'],
    ...['http://example.org', 'http://127.0.0.1.example.org', 'http://10.0.0.1:7717'],
  ])('%s is refused', (text) => {
    expect(() => originOf(text)).toThrow(expect.objectContaining({ code: 'usage.bad-value' }));
  });
});

/** Answers each connection with this, whatever was asked. */
async function answering(answer: string) {
  const heard: string[] = [];
  const server: Server = createServer((socket: Socket) => {
    socket.once('data', (bytes) => {
      heard.push(bytes.toString());
      socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    heard,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const get = { method: 'GET', path: '/a?b=%2F', headers: {}, timeoutMs: 5000 } as const;

describe('tcpTransport()', () => {
  test('asks for the path as it is, at the host that was named', async () => {
    await using server = await answering('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');

    const { head, body } = await tcpTransport(realClock, server.url).send(get);
    const text = Buffer.concat(await Array.fromAsync(body)).toString();

    expect([head.status, text]).toEqual([200, 'ok']);
    expect(server.heard[0]).toMatch(/^GET \/a\?b=%2F HTTP\/1\.1\r\n/);
    expect(server.heard[0]).toContain(`\r\nhost: ${server.url.host}\r\n`);
  });

  test('an answer that is cut off is told as such', async () => {
    await using server = await answering('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok');

    const { body } = await tcpTransport(realClock, server.url).send(get);

    await expect(Array.fromAsync(body)).rejects.toMatchObject({ code: 'daemon.down' });
  });

  test('where nobody listens, it names the address and not a home folder', async () => {
    const server = await answering('');
    await server[Symbol.asyncDispose]();

    const sending = tcpTransport(realClock, server.url).send(get);

    await expect(sending).rejects.toMatchObject({
      code: 'daemon.down',
      message: `"${server.url.origin}" cannot be reached: nobody listens there`,
    });
  });
});
