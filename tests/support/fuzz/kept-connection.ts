/**
 * A connection that is kept open, on which any bytes can be sent: Node's own client refuses to
 * send much of what somebody else would.
 */
import { createConnection, type Socket } from 'node:net';

export interface RawRequest {
  readonly method: string;
  /** The path with its query, as it is sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** It would go on; the connection was closed. */
  readonly isStream: boolean;
}

/** Of a socket file, or a port on this machine. */
export type Place = string | number;

// A server hangs up on who is idle, after 5 s, and may do so while the next request is on its way.
const longestIdleMs = 2000;

export class KeptConnection {
  readonly #place: Place;
  #socket: Socket | undefined;
  #usedAt = 0;
  /** What was asked and answered last: it may be why the connection ends. */
  #before = 'nothing';

  constructor(place: Place) {
    this.#place = place;
  }

  /** Rejects when there is no whole answer in time. */
  send(request: RawRequest, deadlineMs: number): Promise<RawAnswer> {
    const socket = this.#open();
    const reading = new AnswerReader(request.method);
    return new Promise((resolve, reject) => {
      const settle = (then: () => void, { keep }: { readonly keep: boolean }): void => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close');
        if (!keep) this.close();
        then();
      };
      const timer = setTimeout(
        () => settle(() => reject(new Error('no answer in time')), { keep: false }),
        deadlineMs,
      );
      socket.on('data', (bytes: Buffer) => {
        const answer = reading.take(bytes);
        if (answer === undefined) return;
        this.#usedAt = performance.now();
        this.#before = `${request.method} ${request.target.slice(0, 100)}: ${answer.status}`;
        const isKept = !answer.isStream && answer.headers.get('connection') !== 'close';
        settle(() => resolve(answer), { keep: isKept });
      });
      socket.on('close', () => {
        const answer = reading.end();
        const failed = new Error(`the connection ended without an answer, after ${this.#before}`);
        settle(() => (answer === undefined ? reject(failed) : resolve(answer)), { keep: false });
      });
      socket.write(headOf(request));
      if (request.body !== undefined) socket.write(request.body);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const isIdle = performance.now() - this.#usedAt > longestIdleMs;
    if (this.#socket?.writable === true && !isIdle) return this.#socket;
    this.close();
    const place = this.#place;
    const socket =
      typeof place === 'number' ? createConnection(place, '127.0.0.1') : createConnection(place);
    // What became of it is told by "close", which follows.
    socket.setNoDelay().on('error', () => {});
    this.#socket = socket;
    return socket;
  }
}

function headOf({ method, target, headers }: RawRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
}

/** Puts one answer together out of the pieces in which it comes. */
class AnswerReader {
  readonly #method: string;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(method: string) {
    this.#method = method;
  }

  take(bytes: Buffer): RawAnswer | undefined {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    return this.#read({ isOver: false });
  }

  /** What there is when nothing more comes. */
  end(): RawAnswer | undefined {
    return this.#read({ isOver: true });
  }

  #read({ isOver }: { readonly isOver: boolean }): RawAnswer | undefined {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const { status, headers } = parsedHead(this.#bytes.toString('latin1', 0, end));
    const rest = this.#bytes.subarray(end + 4);
    if (status === 100) {
      this.#bytes = rest;
      return this.#read({ isOver });
    }
    const type = headers.get('content-type') ?? '';
    const isStream = status === 101 || type.startsWith('text/event-stream');
    if (isStream) return { status, headers, body: Buffer.alloc(0), isStream };
    const body = hasNoBody(this.#method, status) ? Buffer.alloc(0) : bodyIn(rest, headers, isOver);
    return body && { status, headers, body, isStream };
  }
}

function parsedHead(text: string): Pick<RawAnswer, 'status' | 'headers'> {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [
      line.slice(0, colon).toLowerCase(),
      line
        .slice(colon + 1)
        .trim()
        .toLowerCase(),
    ];
  });
  return { status, headers: new Map(pairs) };
}

function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** Undefined while it is not all there. */
function bodyIn(rest: Buffer, headers: RawAnswer['headers'], isOver: boolean): Buffer | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return unchunked(rest);
  const length = headers.get('content-length');
  if (length === undefined) return isOver ? rest : undefined;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function unchunked(rest: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (rest.length < next) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
