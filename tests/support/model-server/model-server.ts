/**
 * A server on this machine that speaks the wires of Anthropic and OpenAI and answers from a
 * script. It answers by what a request says and never by how many came before, because
 * clients make requests of their own (titles, warm-ups) in between.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelRequest } from '../../../src/kernel/agent/model.ts';
import { checkScript, type ScriptText } from '../../../src/models/scripted/script.ts';
import { followScript, scriptedAnswer } from '../../../src/models/scripted/scripted-model.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { chatWire } from './chat-wire.ts';
import { responsesWire } from './responses-wire.ts';
import type { ServedRequest, Wire } from './wire.ts';

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  /** The connection is reset before a word was said. */
  | { readonly kind: 'reset' }
  /** The answer stops after so many bytes: with a reset, or as if that were the end. */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly how: 'reset' | 'end' }
  /** Everything comes but the last byte, for which the client waits in vain. */
  | { readonly kind: 'stall' };

export interface PlannedFault {
  readonly fault: Fault;
  /** For the first so many requests that match; without it, for all. */
  readonly times?: number;
  matches?(request: ModelRequest): boolean;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined where nothing was sent. */
  readonly body: unknown;
}

export interface ModelServerOptions {
  readonly script: ScriptText;
  /** The only key that it takes; without it, any and none. */
  key?: string | undefined;
  /** The models that it has; without it, any. */
  readonly models?: readonly string[] | undefined;
  readonly faults?: readonly PlannedFault[] | undefined;
  /** Every byte of a stream travels by itself. */
  readonly splitsEveryByte?: boolean | undefined;
  /** What an OpenAI-like server without usage in its streams does. */
  readonly hidesUsage?: boolean | undefined;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, to which `/v1` is added by most clients. */
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** How many connections are open just now. */
  connections(): Promise<number>;
  changeKey(key: string): void;
}

const wires: readonly Wire[] = [anthropicWire, chatWire, responsesWire];
const mostBodyBytes = 64 * 1024 * 1024;

export async function modelServer(options: ModelServerOptions): Promise<ModelServer> {
  const running = new RunningServer(options);
  const server = createServer((request, response) => {
    // A client that has gone is nothing to fail for.
    running.serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // An AddressInfo by the line before: it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen: running.seen,
    connections: () => connectionsOf(server),
    changeKey: (key) => running.changeKey(key),
    [Symbol.asyncDispose]: () => closed(server),
  };
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

class RunningServer {
  readonly seen: SeenRequest[] = [];
  readonly #options: ModelServerOptions;
  readonly #left: Map<PlannedFault, number>;
  #key: string | undefined;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#key = options.key;
    const faults = options.faults ?? [];
    this.#left = new Map(faults.map((fault) => [fault, fault.times ?? Number.POSITIVE_INFINITY]));
  }

  changeKey(key: string): void {
    this.#key = key;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const body = await bodyOf(request);
    this.seen.push({ method: request.method ?? '', path, headers: request.headers, body });
    if (request.method === 'HEAD') return void response.writeHead(200).end();
    if (request.method === 'GET' && path === '/v1/models') return this.#listModels(response);
    const wire = wires.find((known) => known.path === path);
    if (wire === undefined) return sendJson(response, 404, { error: { message: 'no such page' } });
    if (this.#key !== undefined && keyOf(request) !== this.#key) {
      return sendJson(response, 401, wire.failure(401, `no such key: ${keyOf(request)}`));
    }
    await this.#answer(wire, body, response);
  }

  async #answer(wire: Wire, body: unknown, response: ServerResponse): Promise<void> {
    let served: ServedRequest;
    try {
      served = wire.read(body);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return sendJson(response, 400, wire.failure(400, message));
    }
    if (this.#options.models?.includes(served.model) === false) {
      return sendJson(response, 404, wire.failure(404, `no model "${served.model}"`));
    }
    const fault = this.#faultFor(served.request);
    if (fault?.kind === 'reset') return void response.socket?.resetAndDestroy();
    if (fault?.kind === 'status') {
      for (const [name, value] of Object.entries(fault.headers ?? {})) {
        response.setHeader(name, value);
      }
      return sendJson(response, fault.status, wire.failure(fault.status, 'not now'));
    }
    const script = checkScript(this.#options.script, 'of the server');
    const answer = scriptedAnswer(followScript(script, served.request.messages), served.request);
    if (!served.isStream) return sendJson(response, 200, wire.whole(served, answer));
    const told = this.#options.hidesUsage === true ? { ...served, wantsUsage: false } : served;
    const bytes = Buffer.from(wire.events(told, answer).join(''));
    await this.#stream(response, bytes, fault);
  }

  async #stream(
    response: ServerResponse,
    bytes: Buffer,
    fault: StreamFault | undefined,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const sent = bytes.subarray(0, sentBytes(bytes.length, fault));
    const step = this.#options.splitsEveryByte === true ? 1 : Math.max(1, sent.length);
    for (let from = 0; from < sent.length; from += step) {
      await written(response, sent.subarray(from, from + step));
    }
    if (fault?.kind === 'stall') return;
    if (fault?.kind === 'cut' && fault.how === 'reset') response.socket?.resetAndDestroy();
    else response.end();
  }

  #faultFor(request: ModelRequest): Fault | undefined {
    for (const [planned, left] of this.#left) {
      if (left <= 0 || planned.matches?.(request) === false) continue;
      this.#left.set(planned, left - 1);
      return planned.fault;
    }
    return undefined;
  }

  #listModels(response: ServerResponse): void {
    const ids = this.#options.models ?? ['scripted'];
    const data = ids.map((id) => ({ id, object: 'model', created: 0, owned_by: 'scripted' }));
    sendJson(response, 200, { object: 'list', data });
  }
}

type StreamFault = Extract<Fault, { kind: 'cut' | 'stall' }>;

function sentBytes(length: number, fault: StreamFault | undefined): number {
  if (fault === undefined) return length;
  return fault.kind === 'stall' ? length - 1 : fault.afterBytes;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    // Without an encoding, a request hands out buffers.
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > mostBodyBytes) throw new Error('the request is too large');
    parts.push(bytes);
  }
  return size === 0 ? undefined : JSON.parse(Buffer.concat(parts).toString());
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  return headers.authorization?.replace(/^Bearer /, '');
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) =>
    response.write(bytes, (error) => (error instanceof Error ? reject(error) : resolve())),
  );
}
