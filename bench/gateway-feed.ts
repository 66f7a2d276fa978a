/** Many who follow the events: how soon all of them hear of one, and what each costs. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from '../tests/support/running-daemon.ts';
import { startProgram } from './bare-program.ts';
import { openReaders, type ReaderDoor, type Readers } from './event-readers.ts';
import type { Bench, Sides } from './frame.ts';
import { untilQuiet } from './relay-home.ts';
import { residentKb } from './runtime-agents.ts';
import { workplace } from './workplace.ts';

const subscribers = 2000;

export const gatewayFeedBenches: readonly Bench[] = [
  {
    name: 'gateway.sse',
    unit: 'ms until all have it',
    floorIs: `bare Fastify that writes one text to all of ${subscribers} answers`,
    target: 'printed',
    rounds: 15,
    prepare: prepareTime,
  },
  {
    name: 'gateway.sse.memory',
    unit: 'KB a subscriber',
    floorIs: `bare Fastify with ${subscribers} answers that do not end`,
    target: 'printed',
    rounds: 1,
    prepare: prepareMemory,
  },
];

/** A server, and how its events are followed. */
interface Served {
  readonly pid: number;
  /** Where a message makes one event. */
  readonly socket: string;
  readonly doors: readonly ReaderDoor[];
}

async function prepareTime(): Promise<Sides> {
  const { disposables, daemon, bare } = await prepareServers();
  const followers = disposables.use(await openReaders(daemon.doors));
  const bareFollowers = disposables.use(await openReaders(bare.doors));
  return {
    value: () => timeOne(daemon, followers),
    floor: () => timeOne(bare, bareFollowers),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function prepareMemory(): Promise<Sides> {
  const { disposables, daemon, bare } = await prepareServers();
  const measured = { daemon: await measureMemory(daemon), bare: await measureMemory(bare) };
  return {
    value: async () => measured.daemon,
    floor: async () => measured.bare,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function prepareServers() {
  const { folder, disposables } = await workplace();
  const home = join(folder, 'home');
  const daemon = disposables.use(await startDaemon(home));
  const { handle } = await daemon.client.register('jean');
  const socket = join(folder, 'bare.sock');
  const bare = disposables.use(await startProgram('bare-feed.ts', [socket]));
  const served: Served = {
    pid: daemon.pid,
    socket: daemon.socket,
    doors: daemonDoors({ home, url: daemon.url, socket: daemon.socket, handle }),
  };
  const bareServed: Served = {
    pid: bare.pid,
    socket,
    doors: [{ at: { path: socket }, count: subscribers }],
  };
  return { disposables, daemon: served, bare: bareServed };
}

/** No door lets in more than a thousand; and an agent may ask a hundred times a second. */
function daemonDoors({
  home,
  url,
  socket,
  handle,
}: Record<'home' | 'url' | 'socket' | 'handle', string>): readonly ReaderDoor[] {
  const ownerHandle = readFileSync(join(home, 'keys', 'owner.handle'), 'utf8').trim();
  const { host, hostname, port } = new URL(url);
  const agentSocket = join(home, 'run', 'agents', 'jean.sock');
  return [
    { at: { path: socket }, count: 950 },
    { at: { path: agentSocket }, count: 950, handle, perSecond: 90 },
    { at: { host: hostname, port: Number(port) }, host, count: 100, handle: ownerHandle },
  ];
}

/** From the request that makes one event until the last subscriber has that. */
async function timeOne({ socket }: Served, readers: Readers): Promise<number> {
  const startedAt = performance.now();
  const heard = readers.untilAllHear();
  await postMessage(socket);
  await heard;
  return performance.now() - startedAt;
}

/** From jean, who sees what he did, as the owner sees all. */
async function postMessage(socketPath: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const sent = request({ socketPath, path: '/api/v1/messages', method: 'POST', headers });
  sent.end(JSON.stringify({ from: 'jean', to: 'owner', body: 'x'.repeat(200) }));
  const [response] = await once(sent, 'response');
  response.resume();
  if (response.statusCode !== 202) throw new Error(`a message got ${response.statusCode}`);
  await once(response, 'end');
}

const steadyMs = 5000;

async function measureMemory(served: Served): Promise<number> {
  const steady = async (): Promise<number> => {
    await untilQuiet(served.pid);
    await sleep(steadyMs);
    return residentKb(served.pid);
  };
  // What a server keeps after its first work is not the subscribers'.
  await postMessage(served.socket);
  const before = await steady();
  await using readers = await openReaders(served.doors);
  await timeOne(served, readers);
  return Math.max(0, (await steady()) - before) / subscribers;
}
