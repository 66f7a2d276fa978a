/** The proxy of jean's sandbox, on a port of this machine in the place of its loopback. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Resolver } from '../../src/kernel/ports.ts';
import { serveSandbox } from '../../src/sandbox/proxy/serve-sandbox.ts';
import type { RawServer } from './http-world.ts';
import { type TemporaryTools, temporaryTools } from './temporary-tools.ts';

export interface ProxyWorld extends AsyncDisposable {
  readonly home: TemporaryTools;
  readonly port: number;
  /** What the proxy could not explain. */
  readonly broken: readonly unknown[];
  /** By the owner, to jean; the id of the last one. */
  grant(...capabilities: readonly string[]): Promise<string>;
  connect(): ProxyClient;
  /** All that comes back for these bytes, until the proxy closes or `end` is in it. */
  say(bytes: string, end?: string): Promise<string>;
  close(): Promise<void>;
}

/** Every name that ends with `.test` leads to this machine, where nothing else is said. */
export async function proxyWorld(resolver: Resolver = toThisMachine): Promise<ProxyWorld> {
  const home = await temporaryTools();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const broken: unknown[] = [];
  const { ledger, clock, grants } = home;
  const log = { error: (facts: object) => void broken.push(facts) };
  const proxy = serveSandbox({ ledger, clock, grants, resolver, log }, 'agent:jean', {
    server,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  });
  const clients: ProxyClient[] = [];
  const open = () => {
    const client = new ProxyClient(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    clients.push(client);
    return client;
  };
  let closing: Promise<void> | undefined;
  const close = async () => {
    closing ??= Promise.resolve(proxy[Symbol.asyncDispose]());
    await closing;
  };
  return {
    ...{ home, port, broken, close },
    connect: open,
    async grant(...capabilities) {
      let last = '';
      for (const capability of capabilities) {
        last = (await home.capabilities.grant({ agent: 'jean', capability }, 'owner')).id;
      }
      return last;
    },
    async say(bytes, end) {
      const client = open();
      client.socket.write(bytes);
      return end === undefined ? client.all() : client.until(end);
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of clients) socket.destroy();
      await close();
    },
  };
}

const toThisMachine: Resolver = {
  resolve: async (host) => (host.endsWith('.test') ? ['127.0.0.1'] : []),
};

/** Says whatever it hears. */
export async function echoServer(): Promise<RawServer> {
  const connections: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A connection that keeps what it hears. */
export class ProxyClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #heard = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#heard += text;
    });
    socket.on('error', () => undefined);
    // Who hears that the other side is done, is done too.
    socket.on('end', () => socket.end());
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  get heard(): string {
    return this.#heard;
  }

  async all(): Promise<string> {
    await this.closed;
    return this.#heard;
  }

  async until(text: string): Promise<string> {
    return this.times(text, 1);
  }

  /** Until the text is in what it heard so many times. */
  async times(text: string, count: number): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      if (this.#heard.split(text).length > count) resolve();
    };
    const over = () => reject(new Error(`closed without "${text}": ${this.#heard}`));
    this.socket.on('data', look).once('close', over);
    look();
    if (this.socket.destroyed) over();
    await promise;
    this.socket.off('data', look).off('close', over);
    return this.#heard;
  }
}
