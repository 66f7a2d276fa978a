/** The sockets and the port through which the gateway can be reached. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createListener,
  type Server as Listener,
  type ListenOptions,
  type Socket,
} from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Disk } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import {
  ConnectionRoom,
  type Door,
  doorOf,
  enterThrough,
  limitPipelining,
  lingerAfter,
  originsOf,
  requestsUnderWay,
  whileServed,
} from './connections.ts';
import type { GatewayLimits } from './deps.ts';

export interface DoorsDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  /** Where a proxy on this machine shows the port to others. */
  readonly publicUrl?: string | undefined;
  onRequest(door: Door, request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(door: Door, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What arrived was no request. */
  onBadRequest(error: Error, socket: Duplex): void;
  /** An agent's socket was made anew. */
  agentDoorOpened?(name: string): Promise<void>;
}

export class Doors {
  readonly #deps: DoorsDeps;
  readonly #servers = new Set<Server>();
  readonly #agents = new Map<string, AgentDoor>();
  #agentServer: Server | undefined;
  readonly #embedded = new Set<Duplex>();
  #embeddedServer: Server | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(deps: DoorsDeps) {
    this.#deps = deps;
  }

  /** The caller holds the home's lock, so whatever stands at a path is of a daemon that died. */
  openOwner(path: string): Promise<void> {
    return this.#inTurn(() => this.#listenAt(this.#server({ kind: 'owner' }), path));
  }

  openAgent(name: string, path: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#closeAgent(name);
      const door = openAgentDoor(name, this.#deps.limits, this.#serverOfAgents());
      await removeStale(this.#deps.disk, path);
      await listening(door.listener, { path });
      this.#agents.set(name, door);
      await this.#deps.agentDoorOpened?.(name);
    });
  }

  closeAgent(name: string): Promise<void> {
    return this.#inTurn(() => this.#closeAgent(name));
  }

  /** Resolves to the port, which the system chooses for 0. */
  openTcp({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    return this.#inTurn(async () => {
      if (!loopbackNames.has(host)) throw notLoopback(host);
      const origins = new Map<string, string>();
      const server = this.#server({ kind: 'tcp', origins });
      await this.#listen(server, { host, port });
      // Of a server that listens on a port.
      const { port: opened } = server.address() as AddressInfo;
      for (const [name, origin] of originsOf(opened, this.#deps.publicUrl))
        origins.set(name, origin);
      return opened;
    });
  }

  /** A connection from inside this process, through the owner's door. */
  connect(): Duplex {
    this.#embeddedServer ??= this.#server({ kind: 'owner' });
    const [near, far] = duplexPair();
    this.#embedded.add(far);
    far.once('close', () => this.#embedded.delete(far));
    this.#embeddedServer.emit('connection', far);
    return near;
  }

  /** Accepts no more connections, lets what is under way end, and cuts it off after a while. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#turn;
    const agents = [...this.#agents.values()].map(({ listener }) => closed(listener));
    const open = [...this.#servers].filter((server) => server.listening);
    const hungUp = this.#agentServer === undefined ? open : [...open, this.#agentServer];
    const ended = new AbortController();
    const patience = this.#hangUp(hungUp, graceMs, ended.signal);
    await Promise.all([...agents, ...hungUp.map(closed)]);
    ended.abort();
    await patience;
    for (const connection of this.#embedded) connection.destroy();
  }

  /** Those who have nothing under way go at once, the others when their time is up. */
  async #hangUp(servers: readonly Server[], graceMs: number, ended: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const deadline = clock.monotonicMs() + graceMs;
    while (!ended.aborted) {
      const isOver = clock.monotonicMs() >= deadline;
      for (const server of servers) {
        if (isOver) server.closeAllConnections();
        else server.closeIdleConnections();
      }
      // Ended in time, which is what this waits for.
      await clock.sleep(idleLookMs, ended).catch(() => {});
    }
  }

  /**
   * Doors open and close one after another: a server that is closed while it opens would
   * stay open and be known to none.
   */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => {
      if (this.#isClosing) throw noDoor('The gateway is closing and opens no more doors');
      return work();
    });
    // The caller hears of a failure; the next in turn does not mind.
    this.#turn = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  async #closeAgent(name: string): Promise<void> {
    const door = this.#agents.get(name);
    if (door === undefined) return;
    this.#agents.delete(name);
    const gone = closed(door.listener);
    for (const connection of door.connections) connection.destroy();
    await gone;
  }

  /** One for all agents: a thousand servers would wake the process all the time. */
  #serverOfAgents(): Server {
    if (this.#agentServer !== undefined) return this.#agentServer;
    const server = this.#server();
    // It is handed its connections and listens nowhere, but from this it knows that it has
    // to look for those that are too slow.
    server.emit('listening');
    this.#agentServer = server;
    return server;
  }

  async #listenAt(server: Server, path: string): Promise<void> {
    try {
      await removeStale(this.#deps.disk, path);
    } catch (failure) {
      this.#servers.delete(server);
      throw failure;
    }
    await this.#listen(server, { path });
  }

  async #listen(server: Server, where: ListenOptions): Promise<void> {
    try {
      await listening(server, where);
    } catch (failure) {
      this.#servers.delete(server);
      throw failure;
    }
  }

  /** Of a door that is known, or of connections that have come through theirs already. */
  #server(door?: Door): Server {
    const { clock, limits, onRequest, onUpgrade, onBadRequest } = this.#deps;
    const server = createServer({
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      // What arrives too slowly is refused all the same: connections.ts.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5000),
      // It is required all the same, and missed in words: request-head.ts.
      requireHostHeader: false,
      insecureHTTPParser: false,
    });
    if (door !== undefined) {
      const room = new ConnectionRoom(limits.connectionsPerDoor);
      server.on('connection', (connection) => {
        enterThrough(door, connection);
        room.enter(connection);
      });
    }
    server.on('connection', (connection) =>
      limitPipelining(connection, () => requestsUnderWay(connection) >= limits.requestsUnderWay),
    );
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      whileServed(request.socket, response);
      lingerAfter({ clock, lingerMs: limits.requestTimeoutMs }, request, response);
      onRequest(doorOf(request.socket), request, response);
    };
    server.on('request', serve);
    server.on('upgrade', (request, socket, head) => {
      whileServed(request.socket, request.socket);
      onUpgrade(doorOf(request.socket), request, socket, head);
    });
    // Else the system answers by itself, without any of our headers.
    server.on('checkExpectation', serve);
    server.on('clientError', onBadRequest);
    this.#servers.add(server);
    return server;
  }
}

/** What listens for one agent, and who has come in. */
interface AgentDoor {
  readonly listener: Listener;
  readonly connections: ReadonlySet<Socket>;
}

function openAgentDoor(
  name: string,
  { connectionsPerDoor }: GatewayLimits,
  server: Server,
): AgentDoor {
  const connections = new Set<Socket>();
  const door: Door = { kind: 'agent', name };
  const room = new ConnectionRoom(connectionsPerDoor);
  const listener = createListener({ allowHalfOpen: true }, (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    enterThrough(door, connection);
    if (room.enter(connection)) server.emit('connection', connection);
  });
  return { listener, connections };
}

// How many may wait to be let in; the system may allow fewer.
const mostWaiting = 4096;

async function listening(listener: Listener, where: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  listener.once('error', reject);
  listener.listen({ backlog: mostWaiting, ...where }, resolve);
  try {
    await promise;
    listener.removeListener('error', reject);
  } catch (failure) {
    throw cannotListen(where, failure);
  }
}

// How often those are looked for who have become idle while the doors close.
const idleLookMs = 20;

const loopbackNames = new Set(['127.0.0.1', '::1', 'localhost']);

function notLoopback(host: string): AosError {
  return noDoor(`The gateway does not listen on ${quote(host)}: only this machine may reach it`);
}

function closed(server: Listener): Promise<void> {
  return new Promise((resolve) => {
    // It fails only when it is closed already.
    server.close(() => resolve());
  });
}

async function removeStale(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  if (entry.kind !== 'other') {
    throw noDoor(`${quote(path)} is a ${entry.kind} and no socket`, `Move ${quote(path)} away`);
  }
  await disk.remove(path);
}

function cannotListen(where: ListenOptions, failure: unknown): AosError {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  const [name, fix] =
    where.path === undefined
      ? [`port ${where.port}`, 'aos up --port 0']
      : [quote(where.path), 'Choose a home folder with a shorter path, which you may write to'];
  const why = code === 'EADDRINUSE' ? 'another program holds it' : 'the system does not allow it';
  return noDoor(`The gateway cannot listen on ${name}: ${why}`, fix, failure);
}

function noDoor(message: string, fix?: string, cause?: unknown): AosError {
  return new AosError('gateway.no-door', { message, fix, cause });
}
