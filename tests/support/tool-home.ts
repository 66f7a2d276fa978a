/** The real daemon with agents in it, each of which calls on its own socket with its own handle. */
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { version } from '../../src/app/version.ts';
import { realClock } from '../../src/engines/clock.ts';
import { type Client, createClient } from '../../src/gateway/client/client.ts';
import { socketTransport, type Transport } from '../../src/gateway/client/transport.ts';
import type { WireEvent } from '../../src/gateway/contract/contract.ts';
import { AosError } from '../../src/kernel/errors.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface AgentCaller {
  readonly name: string;
  readonly handle: string;
  readonly socket: string;
  readonly client: Client;
}

export interface ToolHome {
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
  /** What happened of one kind since these agents were made, the oldest first. */
  events(kind: string, more?: { readonly actor?: string }): Promise<readonly WireEvent[]>;
}

/** With these agents in it, who hold nothing yet but the right to send messages. */
export async function toolHome(...names: readonly string[]): Promise<ToolHome & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const started = await startHome(opened);
  const home = await furnish(started, new Map(names.map((name) => [name, name])));
  const kept = opened.move();
  return { ...home, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/**
 * One daemon for all tests of a file or a block. Each test asks for agents of its own: the `jean`
 * of the first is `jean-1` to the daemon, that of the second `jean-2`, as `agent('jean').name`
 * says. `settings` is asked before the start for what `aos up --set` gets.
 */
export function sharedToolHome(settings: () => readonly string[] = () => []): FurnishHome {
  const opened = new AsyncDisposableStack();
  let started: StartedHome | undefined;
  let asked = 0;
  beforeAll(async () => {
    started = await startHome(opened, settings());
  });
  afterAll(async () => {
    if (started !== undefined) await endPrograms(started.daemon.client);
    await opened.disposeAsync();
  });
  return async (...names) => {
    if (started === undefined) throw new Error('the daemon was not started');
    asked += 1;
    const suffix = asked;
    return furnish(started, new Map(names.map((name) => [name, `${name}-${suffix}`])));
  };
}

/** Makes agents of these names for one test. */
export type FurnishHome = (...names: readonly string[]) => Promise<ToolHome>;

/** Those that a test which failed has left: programs live longer than a daemon that is killed. */
async function endPrograms(client: Client): Promise<void> {
  for (const { name, body, state } of await Array.fromAsync(client.agents()).catch(() => [])) {
    if (body !== 'command' || state === 'terminated') continue;
    // Its parent may have been ended before it.
    await client.killAgent(name).catch(() => {});
  }
}

interface StartedHome {
  readonly folder: TemporaryFolder;
  readonly home: string;
  readonly daemon: RunningDaemon;
}

async function startHome(
  opened: AsyncDisposableStack,
  settings: readonly string[] = [],
): Promise<StartedHome> {
  const folder = opened.use(temporaryFolder());
  const home = folder.at('home');
  const args = settings.flatMap((setting) => ['--set', setting]);
  return { folder, home, daemon: opened.use(await startDaemon(home, { args })) };
}

/** Registers the agents, each by what it is called in the test and by its name in the home. */
async function furnish(
  started: StartedHome,
  names: ReadonlyMap<string, string>,
): Promise<ToolHome> {
  const { daemon } = started;
  const { client } = daemon;
  const newest = client.events({ order: 'newest-first', limit: 1 });
  const [last] = await Array.fromAsync(newest);
  const after = String(last?.seq ?? 0);
  const agents = new Map<string, AgentCaller>();
  for (const [called, name] of names) agents.set(called, await registerCaller(daemon, name));
  const agent = (called: string): AgentCaller => agents.get(called) ?? unknown(called);
  return {
    ...{ ...started, client, agent },
    port: Number(new URL(daemon.url).port),
    grant: (called, ...capabilities) =>
      grantAll(client, agents.get(called)?.name ?? called, capabilities),
    events: (kind, more = {}) => Array.fromAsync(client.events({ kind, after, ...more })),
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
