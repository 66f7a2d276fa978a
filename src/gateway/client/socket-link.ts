/** A WebSocket to the daemon that comes back when it is lost. */
import { connect as connectTo } from 'node:net';
import { WebSocket } from 'ws';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { SocketMessage } from '../contract/socket.ts';
import { problemError } from './exchange.ts';

/** Where the daemon listens, and the handle where that needs one. */
export type SocketAddress =
  | { readonly socketPath: string; readonly handle?: string | undefined }
  | { readonly port: number; readonly handle: string };

export interface SocketLinkDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Ours, which the daemon compares with its own. */
  readonly version: string;
}

export interface SocketLinkEvents {
  /** Of every connection, before anything comes over it. */
  opened(): void;
  heard(message: SocketMessage): void;
  /** Of every connection that was open. */
  lost(): void;
  /** It is not tried again. */
  failed(why: AosError): void;
}

const firstPauseMs = 100;
const longestPauseMs = 5000;
const path = '/api/v1/ws?events=no';
const longestProblemBytes = 64 * 1024;

/** What passes by itself: a daemon that stops, starts or is busy. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'daemon.down',
  'gateway.not-ready',
  'gateway.too-many',
  'ledger.closed',
]);

export class SocketLink implements AsyncDisposable {
  readonly #deps: SocketLinkDeps;
  readonly #address: SocketAddress;
  readonly #events: SocketLinkEvents;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #socket: WebSocket | undefined;

  constructor(deps: SocketLinkDeps, address: SocketAddress, events: SocketLinkEvents) {
    this.#deps = deps;
    this.#address = address;
    this.#events = events;
    this.#running = this.#run();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Only while it is open; whether it arrived only an answer tells. */
  send(text: string): void {
    // The end of the connection says the same as a failure here.
    this.#socket?.send(text, () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#socket?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      const end = await this.#connection();
      if (end.failure !== undefined && !passing.has(end.failure.code)) {
        this.#events.failed(end.failure);
        return;
      }
      if (end.wasOpen) pauseMs = firstPauseMs;
      const [byte = 0] = this.#deps.random.bytes(1);
      // Ended by being stopped, which the loop sees.
      await this.#deps.clock.sleep(pauseMs * (0.5 + byte / 512), signal).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  /** One connection, from its beginning to its end. */
  #connection(): Promise<{ readonly wasOpen: boolean; readonly failure: AosError | undefined }> {
    const socket = open(this.#address, this.#deps.version);
    this.#socket = socket;
    let wasOpen = false;
    let failure: AosError | undefined;
    socket.on('open', () => {
      wasOpen = true;
      this.#events.opened();
    });
    socket.on('message', (data) => {
      // The daemon and this client agree on their contract: their versions were compared.
      this.#events.heard(JSON.parse(data.toString()) as SocketMessage);
    });
    socket.on('error', () => {});
    return new Promise((resolve) => {
      socket.on('unexpected-response', (request, response) => {
        void problemIn(response).then((problem) => {
          failure = problem;
          request.destroy();
          resolve({ wasOpen, failure });
        });
      });
      socket.on('close', () => {
        if (wasOpen) this.#events.lost();
        resolve({ wasOpen, failure });
      });
    });
  }
}

function open(address: SocketAddress, version: string): WebSocket {
  const { handle } = address;
  const isSocketFile = 'socketPath' in address;
  const host = isSocketFile ? 'localhost' : `127.0.0.1:${address.port}`;
  return new WebSocket(`ws://${host}${path}`, {
    perMessageDeflate: false,
    headers: {
      'x-aos-client': version,
      ...(handle === undefined ? {} : { authorization: `Bearer ${handle}` }),
    },
    ...(isSocketFile ? { createConnection: () => connectTo({ path: address.socketPath }) } : {}),
  });
}

interface Refusal extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number | undefined;
}

async function problemIn(response: Refusal): Promise<AosError> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const bytes of response) {
      sizeBytes += bytes.length;
      if (sizeBytes > longestProblemBytes) break;
      parts.push(bytes);
    }
    const content: unknown = JSON.parse(Buffer.concat(parts).toString());
    return problemError(response.statusCode ?? 0, content);
  } catch (cause) {
    return new AosError('gateway.strange-answer', {
      message: 'The daemon does not open a WebSocket, and does not say why',
      fix: 'aos down && aos up --detach',
      cause,
    });
  }
}
