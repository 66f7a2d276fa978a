/** Real servers on this machine, names that a test steers, and http.fetch over both. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server,
  type Socket,
} from 'node:net';
import { realClock, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Resolver } from '../../src/kernel/ports.ts';
import { Scrubber } from '../../src/security/secrets/scrub.ts';
import { httpFetch } from '../../src/toolbox/http/fetch.ts';
import type { HttpDeps, HttpSecrets } from '../../src/toolbox/http/http-deps.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** What came in, in order. */
  readonly seen: readonly SeenRequest[];
}

/** On 127.0.0.1, over TLS with the certificate of `identity`. */
export async function webServer(
  answer: RequestListener,
  identity?: TestIdentity,
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (bytes: Buffer) => parts.push(bytes));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(parts).toString() });
      answer(request, response);
    });
  };
  const server =
    identity === undefined ? createServer(listener) : createTlsServer(identity, listener);
  const port = await listening(server);
  return { port, seen, [Symbol.asyncDispose]: () => closed(server) };
}

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly connections: readonly Socket[];
}

/** Answers every connection with whatever `speak` writes. */
export async function rawServer(speak: (socket: Socket) => void): Promise<RawServer> {
  const connections: Socket[] = [];
  const server = createRawServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => speak(socket));
  });
  const port = await listening(server);
  return {
    port,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address of this form.
  return (server.address() as AddressInfo).port;
}

async function closed(server: HttpServer): Promise<void> {
  const done = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await done;
}

export interface SteeredResolver extends Resolver {
  /** The names that were asked for, in order. */
  readonly asked: readonly string[];
}

/** Each name with its answers, one for each time; the last one stays. */
export function steeredResolver(
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
): SteeredResolver {
  const asked: string[] = [];
  return {
    asked,
    async resolve(host) {
      const answers = names[host];
      const times = asked.filter((name) => name === host).length;
      asked.push(host);
      const answer = answers?.[times] ?? answers?.at(-1);
      if (answer !== undefined) return answer;
      throw new AosError('http.unreachable', { message: `There is no host "${host}"` });
    },
  };
}

export interface TestSecret {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly port: number;
  readonly header: string;
  readonly prefix?: string;
}

export function secretsOf(...all: readonly TestSecret[]): HttpSecrets {
  const scrubber = new Scrubber();
  for (const { name, value, prefix } of all) scrubber.add({ name, value, prefix: prefix ?? '' });
  return {
    scrubber,
    boundTo: (host, port) =>
      all
        .filter((secret) => secret.host === host && secret.port === port)
        .map(({ name, header, value, prefix = '' }) => ({
          name,
          header,
          value: () => value,
          headerValue: () => prefix + value,
        })),
  };
}

/** Every name that ends with `.test` leads to this machine, where nothing else is said. */
export function fetchTool(given: Partial<HttpDeps> = {}): Tool {
  return httpFetch({
    resolver: { resolve: async (host) => (host.endsWith('.test') ? ['127.0.0.1'] : []) },
    clock: realClock,
    secrets: secretsOf(),
    files: { disk: realDisk, random: realRandom, home: '/nonexistent/aos' },
    ...given,
  });
}

/** What lets a caller ask a server of this machine under a name: the name, and the address. */
export function grantsFor(host: string, port: number, actions = '*'): readonly string[] {
  return [`http:${host}:${port}/*:${actions}`, `http:127.0.0.1:${port}/*:${actions}`];
}

export interface TestIdentity {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for these names that vouches for itself; `subjectAltName` as openssl writes it. */
export async function selfMadeIdentity(subjectAltName: string): Promise<TestIdentity> {
  await using folder = temporaryFolder();
  const [key, cert, config] = [folder.at('key'), folder.at('cert'), folder.at('config')];
  writeFileSync(
    config,
    `[req]\ndistinguished_name=n\nx509_extensions=e\nprompt=no\n[n]\nCN=test\n[e]\nsubjectAltName=${subjectAltName}\n`,
  );
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-keyout', key, '-out', cert, '-config', config],
  ]);
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
