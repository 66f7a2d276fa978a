/** Answers that never end, come too slowly, or are larger than they look. */
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { AosError } from '../../src/kernel/errors.ts';
import { fetchTool, rawServer, webServer } from '../support/http-world.ts';
import { limitMs } from '../support/limits.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runTool } from '../support/tool-call.ts';
import { untilTrue } from '../support/until.ts';

const local = (port: number) => [`http:127.0.0.1:${port}/*:*`];
const outputBytes = 64 * 1024;

/** Writes as fast as the other side reads. */
function writeForever(socket: Socket, bytes: string | Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

describe('an endless answer', () => {
  test('is cut, and its connection closed', async () => {
    await using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      writeForever(socket, Buffer.alloc(65_536, 'x'));
    });

    const result = await runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/` },
      { capabilities: local(server.port), outputBytes },
    );

    expect(result).toMatchObject({ truncated: true });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(outputBytes);
    await untilTrue(() => server.connections[0]?.closed === true, limitMs(2000));
  });

  test('that is to be saved is refused, and leaves no file', async () => {
    await using folder = temporaryFolder();
    await using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      writeForever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    });

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/`, save_to: folder.at('x'), max_bytes: 1_000_000 },
      { capabilities: [...local(server.port), `file:${folder.path}/*:write`] },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.too-large' });
    expect(readdirSync(folder.path)).toEqual([]);
    await untilTrue(() => server.connections[0]?.closed === true, limitMs(2000));
  });

  test.each([
    ['one long header', `X: ${'x'.repeat(100_000)}`],
    ['many headers', 'X-A: b\r\n'.repeat(10_000)],
  ])('in its head is refused: %s', async (_, words) => {
    await using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeForever(socket, words);
    });

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/` },
      { capabilities: local(server.port) },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'http.bad-answer',
      message: expect.stringContaining('headers are too long'),
    });
    await untilTrue(() => server.connections[0]?.closed === true, limitMs(2000));
  });

  test('of provisional answers ends with the call', async () => {
    await using server = await rawServer((socket) =>
      writeForever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
    );

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/`, timeout_ms: 200 },
      { capabilities: local(server.port) },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.unreachable' });
    await untilTrue(() => server.connections[0]?.closed === true, limitMs(2000));
  });
});

describe('an answer that grows when it is unpacked', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);

  test.each([
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros)],
  ])('is cut at its unpacked size: %s', async (name, packed) => {
    await using server = await webServer((_, response) =>
      response.writeHead(200, { 'content-encoding': name }).end(packed),
    );
    const before = process.memoryUsage().rss;

    const result = await runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/`, max_bytes: 1000 },
      { capabilities: local(server.port) },
    );

    expect(result).toMatchObject({ bytes: 1000, truncated: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(zeros.length);
  });

  test('is not saved', async () => {
    await using folder = temporaryFolder();
    await using server = await webServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(zeros)),
    );

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/`, save_to: folder.at('x'), max_bytes: 1_000_000 },
      { capabilities: [...local(server.port), `file:${folder.path}/*:write`] },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.too-large' });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('twice is not unpacked at all', async () => {
    await using server = await webServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(gzipSync(zeros))),
    );

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/` },
      { capabilities: local(server.port) },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.bad-answer' });
  });
});

describe('a server that is slow', () => {
  const dripping = (first: string, each: string) => (socket: Socket) => {
    socket.write(first, 'latin1');
    const timer = setInterval(() => socket.write(each), 10);
    socket.once('close', () => clearInterval(timer));
  };

  test.each([
    ['to say anything', () => undefined],
    ['with its head', dripping('HTTP/1.1 200 OK\r\n', 'x')],
    ['with its body', dripping('HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n', 'x')],
    [
      'with its chunks',
      dripping('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
    ],
    [
      'with what it packed',
      dripping('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08', '\0'),
    ],
  ])('%s is left when the call ends, at once', async (_, speak) => {
    await using server = await rawServer(speak);
    const abort = new AbortController();
    const reason = new AosError('tool.timeout', { message: 'The call took too long' });

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/` },
      { capabilities: local(server.port), signal: abort.signal },
    );
    const refused = expect(attempt).rejects.toBe(reason);
    await untilTrue(() => (server.connections[0]?.bytesRead ?? 0) > 0);
    const abortedAt = performance.now();
    abort.abort(reason);

    await refused;
    expect(performance.now() - abortedAt).toBeLessThan(limitMs(500));
    await untilTrue(() => server.connections[0]?.closed === true, limitMs(1000));
  });

  test('to be resolved is left too', async () => {
    const abort = new AbortController();
    const reason = new AosError('capability.revoked', { message: 'It was revoked' });
    const resolver = {
      resolve: () => {
        queueMicrotask(() => abort.abort(reason));
        return new Promise<never>(() => undefined);
      },
    };

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: 'http://slow.test/' },
      { capabilities: ['http:slow.test:80:get'], signal: abort.signal },
    );

    await expect(attempt).rejects.toBe(reason);
  });

  test('while a file is written leaves no file', async () => {
    await using folder = temporaryFolder();
    await using server = await rawServer(dripping('HTTP/1.1 200 OK\r\n\r\n', 'x'));
    const abort = new AbortController();
    const reason = new AosError('capability.revoked', { message: 'It was revoked' });

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/`, save_to: folder.at('x') },
      {
        capabilities: [...local(server.port), `file:${folder.path}/*:write`],
        signal: abort.signal,
      },
    );
    const refused = expect(attempt).rejects.toBe(reason);
    await untilTrue(() => readdirSync(folder.path).length > 0);
    abort.abort(reason);

    await refused;
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
