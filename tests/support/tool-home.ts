/** The real daemon with agents in it, each of which calls on its own socket with its own handle. */
import { dirname, join } from 'node:path';
import { realClock } from '../../src/app/engines/clock.ts';
import { version } from '../../src/app/version.ts';
import { type Client, createClient } from '../../src/gateway/client.ts';
import type { WireEvent } from '../../src/gateway/contract.ts';
import { socketTransport, type Transport } from '../../src/gateway/transport.ts';
import { AosError } from '../../src/kernel/errors.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface AgentCaller {
  readonly name: string;
  readonly handle: string;
  readonly socket: string;
  readonly client: Client;
}

export interface ToolHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  /** The home itself, inside the folder. */
  readonly home: string;
  readonly daemon: RunningDaemon;
  /** As the owner. */
  readonly client: Client;
  /** The port of the daemon itself. */
  readonly port: number;
  agent(name: string): AgentCaller;
  /** By the owner; resolves to the ids. */
  grant(agent: string, ...capabilities: readonly string[]): Promise<readonly string[]>;
  /** What happened of one kind, the oldest first. */
  events(kind: string, more?: { readonly actor?: string }): Promise<readonly WireEvent[]>;
}

/** With these agents in it, who hold nothing yet but the right to send messages. */
export async function toolHome(...names: readonly string[]): Promise<ToolHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const home = folder.at('home');
  const daemon = opened.use(await startDaemon(home));
  const agents = new Map<string, AgentCaller>();
  for (const name of names) agents.set(name, await registerCaller(daemon, name));
  const { client } = daemon;
  const kept = opened.move();
  return {
    ...{ folder, home, daemon, client },
    port: Number(new URL(daemon.url).port),
    agent: (name) => agents.get(name) ?? unknown(name),
    grant: (agent, ...capabilities) => grantAll(client, agent, capabilities),
    events: (kind, more = {}) => Array.fromAsync(client.events({ kind, ...more })),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

// With an end, so that it is good on the port too.
const oneHourMs = 3_600_000;

async function registerCaller(daemon: RunningDaemon, name: string): Promise<AgentCaller> {
  const { handle } = await daemon.client.register(name, { expires_ms: oneHourMs });
  return callerOn(daemon, name, handle);
}

/** The same agent after the daemon was started once more. */
export function callerOn({ socket: owner }: RunningDaemon, name: string, handle: string) {
  const socket = join(dirname(owner), 'agents', `${name}.sock`);
  const transport = withHandle(socketTransport(realClock, socket), handle);
  return { name, handle, socket, client: createClient({ clock: realClock, version, transport }) };
}

function withHandle({ send }: Transport, handle: string): Transport {
  return {
    send: (request) =>
      send({ ...request, headers: { ...request.headers, authorization: `Bearer ${handle}` } }),
  };
}

export async function grantAll(
  client: Client,
  agent: string,
  capabilities: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const capability of capabilities) ids.push((await client.grant({ agent, capability })).id);
  return ids;
}

function unknown(name: string): never {
  throw new Error(`the test has no agent ${name}`);
}

/** How something ended: with its result, or with the code of its refusal. */
export async function endOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (failure) {
    if (failure instanceof AosError) return failure.code;
    throw failure;
  }
}

/** How many of each, of ends by code and of others as `ok`. */
export function tally(ends: readonly unknown[]): Readonly<Record<string, number>> {
  const words = ends.map((end) => (typeof end === 'string' ? end : 'ok'));
  const counted = Map.groupBy(words, (word) => word);
  return Object.fromEntries([...counted].map(([word, all]) => [word, all.length]));
}
