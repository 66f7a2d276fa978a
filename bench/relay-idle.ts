/** What a thousand outboxes cost while nobody sends anything. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Sides } from './frame.ts';
import { type RelayHome, startRelay, untilQuiet } from './relay-home.ts';
import { body, connectTwo, sendBurst } from './relay-socket.ts';
import { cpuMs } from './server-cpu.ts';

const outboxes = 1000;
const watchedMs = 60_000;

export const relayIdleBenches: readonly Bench[] = [
  idleBench('memory', 'KB an agent', 6, memoryOfOutboxes),
  idleBench('descriptors', 'inotify descriptors', 1, async ({ daemon }) =>
    inotifyDescriptors(daemon.pid),
  ),
  idleBench('cpu', '% of a core', 0.5, async ({ daemon }) => idlePercent(daemon.pid)),
];

type Measure = (relay: RelayHome) => Promise<number>;

/** Against a limit: there is nothing else that could be called the same work. */
function idleBench(what: string, unit: string, limit: number, measure: Measure): Bench {
  return {
    name: `relay.idle.${what}`,
    unit,
    floorIs: `the limit, with ${outboxes} outboxes`,
    target: '<=1',
    rounds: 1,
    prepare: () => prepare(what, limit, measure),
  };
}

async function prepare(what: string, limit: number, measure: Measure): Promise<Sides> {
  const relay = await startRelay(['jean', 'samantha']);
  await warmUp(relay);
  if (what !== 'memory') await addOutboxes(relay);
  let measured: number | undefined;
  return {
    async value() {
      // The daemon has its outboxes only once, so a round that warms up is the measurement.
      measured ??= await measure(relay);
      return measured;
    },
    floor: async () => limit,
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}

/** What a daemon keeps after its first work is not the outboxes'. */
async function warmUp({ daemon }: RelayHome): Promise<void> {
  await using clients = await connectTwo(daemon.socket);
  for (let left = 5; left > 0; left--) await sendBurst(clients, 20_000);
  for (let left = 200; left > 0; left--) {
    await daemon.client.register(`early-${left}`);
    await clients.sender.send({ from: 'jean', to: `early-${left}`, body });
  }
}

async function addOutboxes({ daemon }: RelayHome): Promise<void> {
  for (let left = outboxes; left > 0; left--) await daemon.client.register(`idle-${left}`);
  await untilQuiet(daemon.pid);
}

async function memoryOfOutboxes(relay: RelayHome): Promise<number> {
  const { pid } = relay.daemon;
  await untilSteady(pid);
  const before = residentKb(pid);
  await addOutboxes(relay);
  await untilSteady(pid);
  return Math.max(0, residentKb(pid) - before) / outboxes;
}

const steadyMs = 10_000;

/** After a while without work the daemon gives back what it needed for it. */
async function untilSteady(pid: number): Promise<void> {
  await untilQuiet(pid);
  await sleep(steadyMs);
}

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function inotifyDescriptors(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => linkedTo(`${folder}/${name}`).includes('inotify'))
    .length;
}

function linkedTo(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return '';
  }
}

// New outboxes are looked at once more, and then nothing of them is new.
const settledMs = 35_000;

async function idlePercent(pid: number): Promise<number> {
  await sleep(settledMs);
  const before = cpuMs(pid);
  const startedAt = performance.now();
  await sleep(watchedMs);
  return (100 * (cpuMs(pid) - before)) / (performance.now() - startedAt);
}
