/**
 * HTTP to the daemon, over any connection. `node:http` would cost a short command more
 * than everything else it does, so this writes the request by hand and reads the answer
 * with the kernel's parser. One request a connection.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { HttpResponseParser, type ResponseHead } from '../../kernel/text/http-response.ts';
import { quote } from '../../kernel/text/quote.ts';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Instead of a body: bytes of any number, sent as they come. */
  readonly stream?: AsyncIterable<Uint8Array> | undefined;
  /** Longer than this the daemon may not be silent. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a caller of the client may say about one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For work that may take long; else ten seconds. */
  readonly timeoutMs?: number | undefined;
}

export interface TransportAnswer {
  readonly head: ResponseHead;
  /** Must be read to its end or left with `break`: either closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  send(request: TransportRequest): Promise<TransportAnswer>;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  connect(request: TransportRequest): Duplex | Promise<Duplex>;
}

/** Over the daemon's socket file. */
export function socketTransport(clock: Clock, path: string): Transport {
  return connectionTransport({
    clock,
    connect: (request) => socketConnection({ clock, path }, request),
  });
}

const firstWaitMs = 5;
const longestWaitMs = 200;

/** Where so many come at once that the socket's queue is full, it asks again for a place in it. */
async function socketConnection(
  { clock, path }: { clock: Clock; path: string },
  { timeoutMs, signal }: TransportRequest,
): Promise<Socket> {
  const triesUntil = clock.monotonicMs() + timeoutMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await connected(path);
    } catch (failure) {
      if (codeOf(failure) !== 'EAGAIN') throw explained(failure);
      if (clock.monotonicMs() + waitMs > triesUntil) throw crowded(timeoutMs, failure);
      await clock.sleep(waitMs, signal);
    }
  }
}

function connected(path: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  // Loaded when it is first needed, and not by an import that every command would pay.
  const socket = process.getBuiltinModule('node:net').connect({ path });
  socket.on('error', reject);
  socket.once('connect', () => resolve(socket));
  return promise;
}

/** As the principal whose handle it is. */
export function withHandle(transport: Transport, handle: string): Transport {
  const authorization = `Bearer ${handle}`;
  return {
    send: (request) =>
      transport.send({ ...request, headers: { ...request.headers, authorization } }),
  };
}

/** Over whatever `connect` opens: a socket, or the gateway of this very process. */
export function connectionTransport({ clock, connect }: ConnectionOptions): Transport {
  return {
    async send(request) {
      request.signal?.throwIfAborted();
      const beganMs = clock.monotonicMs();
      const connection = await connect(request);
      const watch = watchSilence(connection, { ...request, clock, beganMs });
      const parts = readParts(connection, watch);
      try {
        connection.write(requestText(request));
        if (request.stream !== undefined) sendChunks(connection, request.stream, watch);
        const first = await parts.next();
        if (first.done === true || !('status' in first.value)) throw hungUp();
        return { head: first.value, body: bodyOf(parts) };
      } catch (failure) {
        await parts.return();
        throw failure;
      }
    },
  };
}

function requestText({ method, path, headers, body, stream }: TransportRequest): string {
  const all = {
    host: 'localhost',
    connection: 'close',
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(byteLength(body)) }),
    ...(stream === undefined
      ? {}
      : { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${oneHeaderLine(value)}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

/** While the answer is waited for. A source that fails ends the connection with its reason. */
function sendChunks(connection: Duplex, source: AsyncIterable<Uint8Array>, watch: Watch): void {
  const write = async (): Promise<void> => {
    for await (const bytes of source) {
      if (connection.destroyed) return;
      if (bytes.length === 0) continue;
      connection.write(`${bytes.length.toString(16)}\r\n`);
      connection.write(bytes);
      if (!connection.write('\r\n')) await drained(connection);
      watch.heard();
    }
    connection.write('0\r\n\r\n');
  };
  write().catch((failure: unknown) => {
    connection.destroy(failure instanceof Error ? failure : new Error(String(failure)));
  });
}

/** Also when the connection is gone: there is nothing to wait for then. */
function drained(connection: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (connection.destroyed) return resolve();
    const done = (): void => {
      connection.removeListener('drain', done);
      connection.removeListener('close', done);
      resolve();
    };
    connection.once('drain', done);
    connection.once('close', done);
  });
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

// A line end in a value would be a header of its own.
function oneHeaderLine(value: string): string {
  if (/[\r\n\0]/.test(value)) throw new Error('a header has a line end in it');
  return value;
}

interface Watch {
  heard(): void;
  stop(): void;
}

interface Watched extends Pick<TransportRequest, 'timeoutMs' | 'signal'> {
  readonly clock: Clock;
  readonly beganMs: number;
}

/** Destroys the connection with the reason when it is silent too long or no longer wanted. */
function watchSilence(connection: Duplex, { clock, beganMs, timeoutMs, signal }: Watched): Watch {
  const stopped = new AbortController();
  let heardAt = beganMs;
  const onAbort = (): void => void connection.destroy(abortReason(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const watch = async (): Promise<void> => {
    for (;;) {
      const leftMs = heardAt + timeoutMs - clock.monotonicMs();
      if (leftMs <= 0) return void connection.destroy(silent(timeoutMs));
      await clock.sleep(leftMs, stopped.signal);
    }
  };
  // It ends by being stopped, which is no failure.
  watch().catch(() => {});
  return {
    heard: () => {
      heardAt = clock.monotonicMs();
    },
    stop: () => {
      stopped.abort();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

async function* readParts(
  connection: Duplex,
  watch: Watch,
): AsyncGenerator<ResponseHead | Uint8Array, void, void> {
  const parser = new HttpResponseParser();
  try {
    for await (const bytes of connection) {
      watch.heard();
      for (const part of parser.push(bytes)) yield part.kind === 'head' ? part.head : part.bytes;
      if (parser.isDone) return;
    }
    finish(parser);
  } catch (failure) {
    throw explained(failure);
  } finally {
    watch.stop();
    connection.on('error', ignoreLateError);
    connection.destroy();
  }
}

/** A daemon that is killed ends its answer in the middle. */
function finish(parser: HttpResponseParser): void {
  try {
    parser.end();
  } catch (cause) {
    throw hungUp(cause);
  }
}

// We have hung up, and what the system still says about it is nothing to act on.
function ignoreLateError(): void {}

async function* bodyOf(
  parts: AsyncGenerator<ResponseHead | Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const part of parts) if (part instanceof Uint8Array) yield part;
}

const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);
const hangUps = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : '';
}

function explained(failure: unknown): unknown {
  const code = codeOf(failure);
  if (failure instanceof AosError) return failure;
  if (nobodyThere.has(code)) return down(failure);
  if (hangUps.has(code)) return hungUp(failure);
  if (code === 'EACCES' || code === 'EPERM') {
    return new AosError('disk.denied', {
      message: "The system does not allow this user to use the daemon's socket",
      fix: 'Run the command as the owner of the home folder',
      cause: failure,
    });
  }
  return failure;
}

function down(cause: unknown): AosError {
  return new AosError('daemon.down', {
    message: 'No daemon is running for this home folder',
    fix: 'aos up --detach',
    cause,
  });
}

function hungUp(cause?: unknown): AosError {
  return new AosError('daemon.down', {
    message: 'The daemon hung up before it had answered; whether it did what was asked is unknown',
    fix: 'aos status',
    cause,
  });
}

function silent(timeoutMs: number): AosError {
  return new AosError('daemon.silent', {
    message: `The daemon has not answered for ${timeoutMs} ms`,
    fix: 'aos up --takeover',
  });
}

function crowded(timeoutMs: number, cause: unknown): AosError {
  return new AosError('gateway.too-many', {
    message: `So many ask the daemon at once that it could not let this in for ${timeoutMs} ms`,
    fix: 'Try again in a moment',
    cause,
  });
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(quote(String(reason)));
}
