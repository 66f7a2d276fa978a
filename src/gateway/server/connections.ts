/**
 * Connections before, between and after their requests: how many a door has, how many requests
 * one may have under way, how one is closed, and what ends with it.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { Verb } from '../../verbs/verb.ts';
import { routes } from '../contract/contract.ts';

const roomOf = new WeakMap<Duplex, ConnectionRoom>();

/**
 * How many connections a door has at once. A client that only holds one open, without a request
 * that is being answered, makes room for the next: else a thousand silent ones would keep all
 * others out. The one that has waited longest goes first.
 */
export class ConnectionRoom {
  readonly #most: number;
  /** Those without a request, by how long they have had none. */
  readonly #waiting = new Set<Duplex>();
  /** The others, each with how many of its requests are being answered. */
  readonly #served = new Map<Duplex, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False where all are being served: then it is closed. */
  enter(connection: Duplex): boolean {
    const [longest] = this.#waiting;
    if (this.#waiting.size + this.#served.size >= this.#most) {
      if (longest === undefined) {
        connection.destroy();
        return false;
      }
      this.#leave(longest);
      longest.destroy();
    }
    this.#waiting.add(connection);
    roomOf.set(connection, this);
    connection.once('close', () => this.#leave(connection));
    return true;
  }

  begin(connection: Duplex): void {
    this.#waiting.delete(connection);
    this.#served.set(connection, (this.#served.get(connection) ?? 0) + 1);
  }

  /** How many of its requests are being answered. */
  underWay(connection: Duplex): number {
    return this.#served.get(connection) ?? 0;
  }

  end(connection: Duplex): void {
    const left = (this.#served.get(connection) ?? 1) - 1;
    if (left > 0) this.#served.set(connection, left);
    else if (this.#served.delete(connection)) this.#waiting.add(connection);
  }

  #leave(connection: Duplex): void {
    this.#waiting.delete(connection);
    this.#served.delete(connection);
  }
}

export function requestsUnderWay(connection: Duplex): number {
  return roomOf.get(connection)?.underWay(connection) ?? 0;
}

/** It keeps its place until the answer is over. */
export function whileServed(connection: Duplex, answer: Writable): void {
  const room = roomOf.get(connection);
  if (room === undefined) return;
  room.begin(connection);
  answer.once('close', () => room.end(connection));
}

// A client may send requests without waiting for their answers. Node parses all that a read has
// brought, 64 KiB or 1,400 requests, before it looks at how much of the answers was taken; it goes
// on with that even where the connection was destroyed meanwhile. A thousand clients that never
// read fill the memory so. Hence the parser itself is told to stop at the first request too many,
// for which nothing offers a way but its own callback.

/** What Node hangs on a connection, and does not document. */
interface Parsed {
  readonly parser?: { onIncoming: OnIncoming | null } | null;
}

/** Called when the head of a request has come; what is below zero ends the parsing. */
type OnIncoming = (...head: readonly unknown[]) => number;
const stop = -1;

/** Ends a connection that sends a request while `isFull` says so; to be called when it has come. */
export function limitPipelining(connection: Duplex, isFull: () => boolean): void {
  const { parser } = connection as Parsed;
  const take = parser?.onIncoming;
  if (!parser || !take) return;
  parser.onIncoming = (...head) => {
    if (!connection.destroyed && !isFull()) return take(...head);
    // Nothing is said: it would be read as the answer to a request that still waits for its own.
    connection.destroy();
    return stop;
  };
}

// A request may be answered before its body has come. Were the connection closed then, as its
// client asked, the client would find it broken in the middle of sending, and not look for an
// answer: over TCP that is even thrown away by the system. So the rest is taken and dropped first,
// for a while.

interface LingerDeps {
  readonly clock: Clock;
  /** Who sends for longer than this is cut off. */
  readonly lingerMs: number;
}

/** To be called when the request comes. */
export function lingerAfter(
  deps: LingerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { headers, socket } = request;
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return;
  const wantsClose = !response.shouldKeepAlive;
  // Else Node closes it as soon as the answer is written.
  response.shouldKeepAlive = true;
  if (wantsClose) response.removeHeader('connection');
  response.once('finish', () => {
    if (request.complete) {
      if (wantsClose) closeSoon(socket);
      return;
    }
    if (socket.destroyed) return;
    const taken = new AbortController();
    const onTaken = (): void => {
      socket.removeListener('close', onTaken);
      taken.abort(early);
    };
    // Node drops what comes now.
    request.once('end', onTaken);
    socket.once('close', onTaken);
    deps.clock.sleep(deps.lingerMs, taken.signal).then(
      () => socket.destroy(),
      () => wantsClose && closeSoon(socket),
    );
  });
}

function closeSoon(socket: Duplex & { destroySoon?: () => void }): void {
  if (socket.destroySoon === undefined) socket.end();
  else socket.destroySoon();
}

/** Aborts when the caller has hung up, or the gateway closes: then nothing is waited for. */
export function untilHangUp(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const stop = (): void => gone.abort(stopped());
  reply.raw.once('close', () => {
    closing.removeEventListener('abort', stop);
    stop();
  });
  if (closing.aborted) stop();
  else closing.addEventListener('abort', stop, { once: true });
  return gone.signal;
}

/**
 * Aborts when the caller has hung up, and only then: what a gateway that closes leaves unfinished
 * goes on when it is up again.
 */
export function whileAsked(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished && !closing.aborted) gone.abort(hungUp());
  });
  return gone.signal;
}

function hungUp(): AosError {
  return new AosError('interrupted.signal', { message: 'Whoever asked for it has stopped it' });
}

function stopped(): AosError {
  return new AosError('gateway.not-ready', {
    message: 'The daemon stops, and waits for nothing any more',
    fix: 'Ask again once it is up',
  });
}

// Bodies that take too long to arrive. The framework would cut off every request after
// one time; here bytes that are streamed may take as long as they keep coming.

interface Arrival {
  since: number;
  bytesBefore: number;
  readonly streams: boolean;
}

const all: readonly Verb[] = Object.values(routes);
const streaming = all
  .filter(({ streams }) => streams === true)
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(?:\\?|$)`));

export class SlowArrivals {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #arriving = new Map<IncomingMessage, Arrival>();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  watch(request: IncomingMessage): void {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || headers['content-length'];
    if (!hasBody || headers['content-length'] === '0') return;
    this.#arriving.set(request, {
      since: this.#clock.monotonicMs(),
      bytesBefore: socket.bytesRead,
      streams: streaming.some((path) => path.test(request.url ?? '')),
    });
    const forget = (): void => void this.#arriving.delete(request);
    // A route may leave a request before its end.
    request.once('end', forget).once('close', forget);
  }

  /** Those that are to be refused now; each is named once. */
  overdue(): readonly IncomingMessage[] {
    const now = this.#clock.monotonicMs();
    const late: IncomingMessage[] = [];
    for (const [request, arrival] of this.#arriving) {
      // Of a request that was destroyed there is none, whatever the types say.
      const socket = request.socket as IncomingMessage['socket'] | null;
      const bytesRead = socket?.bytesRead ?? 0;
      if (socket === null || request.complete || socket.destroyed) this.#arriving.delete(request);
      else if (arrival.streams && bytesRead > arrival.bytesBefore) {
        arrival.since = now;
        arrival.bytesBefore = bytesRead;
      } else if (now - arrival.since >= this.#timeoutMs) {
        this.#arriving.delete(request);
        late.push(request);
      }
    }
    return late;
  }
}

// Which way a request came in. It is known by the server that accepted the connection
// and by nothing that the request says.

export type Door =
  | { readonly kind: 'owner' }
  | { readonly kind: 'agent'; readonly name: string }
  /** By each Host under which it may be called, in small letters, the origin that it then is. */
  | { readonly kind: 'tcp'; readonly origins: ReadonlyMap<string, string> };

const doorOfConnection = new WeakMap<Duplex, Door>();

export function enterThrough(door: Door, connection: Duplex): void {
  doorOfConnection.set(connection, door);
}

export function doorOf(connection: Duplex): Door {
  const door = doorOfConnection.get(connection);
  // No caller may be taken for the owner because something was forgotten.
  if (door === undefined) throw new Error('a request came through no door');
  return door;
}

/** The names under which a port of this machine may be called, and where a proxy shows it. */
export function originsOf(port: number, publicUrl?: string): ReadonlyMap<string, string> {
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  const own = names.map((host) => [host, `http://${host}`] as const);
  if (publicUrl === undefined) return new Map(own);
  // In small letters, and without a port that goes without saying: as browsers write it.
  const { origin, host, protocol } = new URL(publicUrl);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const shown = host.includes(':') ? [host] : [host, `${host}:${usualPort}`];
  return new Map([...own, ...shown.map((name) => [name, origin] as const)]);
}
