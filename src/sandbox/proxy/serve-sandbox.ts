/**
 * The proxy of one sandbox.
 *
 * V1. Every client is the sandbox's principal, because no other process can reach the listener: no
 *     word of the client says who it is.
 * V2. One request of a connection at a time. A second one that does not wait for the answer
 *     closes it, or a connection could ask for as much as a thousand.
 * V3. Whatever comes in, the daemon stays: what is beyond `proxyLimits` is turned away before
 *     it costs anything that counts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseRequestUrl } from '../../kernel/capability/url-text.ts';
import type { SandboxListener } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';
import { type FetchPlace, tunnelAction } from '../../security/egress/fetch-action.ts';
import { Flow, IdleWatch, reach } from './flow.ts';
import { forward } from './forward.ts';
import { Overruns, TokenBucket } from './overruns.ts';
import {
  Passage,
  type ProxyDeps,
  ProxyRefusal,
  proxyLimits,
  refusalOf,
  refuse,
  refuseRaw,
} from './passage.ts';

/** Serves it until it is disposed of, which closes the listener and every connection. */
export function serveSandbox(
  deps: ProxyDeps,
  principal: string,
  listener: SandboxListener,
): AsyncDisposable {
  return new SandboxProxy(deps, principal, listener);
}

/** What a connection does: it waits for the head of a request, or it has a passage. */
type ConnectionState =
  | { readonly kind: 'waiting'; readonly watch: IdleWatch }
  | { readonly kind: 'serving'; readonly passage: Passage };

class SandboxProxy implements AsyncDisposable {
  readonly #deps: ProxyDeps;
  readonly #principal: string;
  readonly #listener: SandboxListener;
  readonly #connections = new Map<Duplex, ConnectionState>();
  readonly #requests: TokenBucket;
  readonly #refusals: TokenBucket;
  readonly #overruns: Overruns;
  /** What has to end before this has. */
  readonly #work = new Set<Promise<void>>();
  readonly #subscription: Disposable;
  #isOver = false;
  /** Reads requests; it listens nowhere itself. */
  readonly #reader = createServer({
    maxHeaderSize: proxyLimits.headBytes,
    // Said, because the environment could say otherwise.
    insecureHTTPParser: false,
    // Connections wait by our clock.
    keepAliveTimeout: 0,
    requestTimeout: 0,
    headersTimeout: 0,
  });

  constructor(deps: ProxyDeps, principal: string, listener: SandboxListener) {
    this.#deps = deps;
    this.#principal = principal;
    this.#listener = listener;
    this.#requests = new TokenBucket(deps.clock, proxyLimits.requests);
    this.#refusals = new TokenBucket(deps.clock, proxyLimits.refusals);
    this.#overruns = new Overruns(deps, principal);
    this.#subscription = deps.grants.onRevoked(() => {
      for (const passage of this.#passages()) passage.endIfRevoked();
    });
    this.#reader.on('request', (request, response) => this.#serve(request, response));
    this.#reader.on('checkContinue', (request, response) => this.#serve(request, response));
    this.#reader.on('connect', (request, client, head) => this.#connect(request, client, head));
    this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#subscription[Symbol.dispose]();
    for (const passage of this.#passages()) passage.end(early);
    const closing = this.#listener[Symbol.asyncDispose]();
    for (const socket of this.#connections.keys()) socket.destroy();
    await closing;
    await Promise.all(this.#work);
    await this.#overruns[Symbol.asyncDispose]();
  }

  #listen(): void {
    const { server } = this.#listener;
    if (!(server instanceof Server)) throw new Error('a sandbox has no listener that is known');
    // V3: the next is closed before there is an object for it.
    server.maxConnections = proxyLimits.connections;
    server.on('drop', () => this.#overruns.count('connections'));
    server.on('connection', (socket) => this.#accept(socket));
    server.on('error', (err) => this.#deps.log.error({ err }, 'a sandbox cannot be listened to'));
  }

  #accept(socket: Socket): void {
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    // One side of a tunnel may be done and still listen.
    socket.allowHalfOpen = true;
    // The reader or writer hears of it; that there is none must not end the daemon.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#closed(socket));
    this.#await(socket);
    this.#reader.emit('connection', socket);
  }

  #await(socket: Duplex): void {
    if (socket.destroyed) return;
    const watch = new IdleWatch(this.#deps.clock, proxyLimits.headMs, () => void socket.destroy());
    this.#connections.set(socket, { kind: 'waiting', watch });
  }

  #closed(socket: Duplex): void {
    const state = this.#connections.get(socket);
    this.#connections.delete(socket);
    if (state?.kind === 'waiting') state.watch[Symbol.dispose]();
    else state?.passage.end(new ProxyRefusal(499, 'The client has gone'));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Not later: who has the whole answer may send the next request.
    response.once('finish', () => this.#await(socket));
    this.#begin(socket, async (passage) => {
      try {
        this.#admit();
        await forward(this.#deps, passage, request, response);
      } catch (failure) {
        const refusal = this.#refusalOf(failure);
        if (!response.headersSent) refuse(response, refusal);
        else if (!response.writableFinished) socket.destroy();
      }
    });
  }

  #connect(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    // It is the one that was accepted.
    const client = duplex as Socket;
    this.#begin(client, async (passage) => {
      let flow: () => Promise<void>;
      try {
        this.#admit();
        flow = await openTunnel(this.#deps, passage, { request, client, head });
      } catch (failure) {
        return refuseRaw(client, this.#refusalOf(failure));
      }
      // However it ends: both sides are closed by then.
      await flow().catch(() => undefined);
    });
  }

  /** V2 */
  #begin(socket: Duplex, work: (passage: Passage) => Promise<void>): void {
    const state = this.#connections.get(socket);
    if (state?.kind !== 'waiting') {
      socket.destroy();
      return;
    }
    state.watch[Symbol.dispose]();
    const passage = new Passage(this.#deps, {
      principal: this.#principal,
      mayRecordRefusal: () => this.#mayRecordRefusal(),
      afterwards: (ending) => this.#track(ending),
    });
    this.#connections.set(socket, { kind: 'serving', passage });
    this.#track(work(passage).finally(() => passage[Symbol.dispose]()));
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((err) => this.#deps.log.error({ err }, 'the proxy of a sandbox broke'))
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  #admit(): void {
    if (this.#requests.take()) return;
    this.#overruns.count('requests');
    throw new ProxyRefusal(429, 'Too many requests within a second\nAsk for less at a time');
  }

  #mayRecordRefusal(): boolean {
    if (this.#refusals.take()) return true;
    this.#overruns.count('refusals');
    return false;
  }

  #refusalOf(failure: unknown): ProxyRefusal {
    const refusal = refusalOf(failure);
    if (refusal !== undefined) return refusal;
    if (failure !== early) this.#deps.log.error({ err: failure }, 'the proxy of a sandbox broke');
    return new ProxyRefusal(500, 'The proxy broke where it should not have');
  }

  *#passages(): Generator<Passage> {
    for (const state of this.#connections.values()) {
      if (state.kind === 'serving') yield state.passage;
    }
  }
}

interface WantedTunnel {
  readonly request: IncomingMessage;
  readonly client: Socket;
  /** What came in behind the head. */
  readonly head: Buffer;
}

/**
 * CONNECT: bytes both ways that the proxy does not read. A client that has it may ask for every
 * path and by every method there, so a grant for the whole place is needed, at exactly this port.
 * Rejects before the first byte of an answer, or ends when both sides are closed.
 */
async function openTunnel(
  deps: ProxyDeps,
  passage: Passage,
  { request, client, head }: WantedTunnel,
): Promise<() => Promise<void>> {
  const place = readPlace(request.url ?? '');
  const { upstream, sizeBytes } = await reach(deps, passage, place, tunnelAction(place));
  // One side may be done and still listen.
  upstream.allowHalfOpen = true;
  return async () => {
    using flow = new Flow(deps, passage, place, sizeBytes);
    try {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) client.unshift(head);
      const { signal } = passage;
      await Promise.all([
        pipeline(client, flow.meter(), upstream, { signal }),
        pipeline(upstream, flow.meter(), client, { signal }),
      ]);
    } finally {
      client.destroy();
      upstream.destroy();
    }
  };
}

/** As it has to be written, and in no other way: `host:port`. */
function readPlace(text: string): FetchPlace {
  const { scheme, host, port } = parseRequestUrl(`http://${text}/`);
  if (`${host}:${port}` !== text) {
    throw new ProxyRefusal(
      400,
      `${quote(text.slice(0, 100))} is no host with a port\nWrite CONNECT host:443`,
    );
  }
  return { scheme, host, port };
}
