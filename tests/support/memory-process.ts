/**
 * Memories in a process that kills itself at its n-th boundary: before and after every
 * transaction, and before, in the middle of and after everything that the search index is told.
 * Its one argument are `{ finish, begin }` of `MemoryCut`; what became of one goes to its output
 * as a line with a `MemoryReport`.
 */
import { mkdirSync, writeSync } from 'node:fs';
import type { MemoryIndex } from '../../src/kernel/memory/index-port.ts';
import { callerFor, jean, type MemoryWorld, memoryWorld, place } from './memory-world.ts';
import { Boundaries, WatchedLedger } from './watched-ledger.ts';

export interface MemoryCut {
  readonly folder: string;
}

export interface MemoryReport {
  readonly boundaries: number;
  /** The keys that the ledger has, and those that are found. */
  readonly kept: readonly string[];
  readonly found: readonly string[];
  /** Whether the words of a neighbour lead to it. */
  readonly isNextToRoof: boolean;
}

function watched(index: MemoryIndex, boundaries: Boundaries): MemoryIndex {
  return new Proxy(index, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'apply' && name !== 'forget') return value.bind(target);
      return async (...args: unknown[]) => {
        boundaries.pass();
        const work: unknown = value.apply(target, args);
        // The thread is at it.
        boundaries.pass();
        const result = await work;
        boundaries.pass();
        return result;
      };
    },
  });
}

async function openWorld(folder: string, boundaries: Boundaries, epoch: number) {
  mkdirSync(folder, { recursive: true });
  return memoryWorld({
    ...{ folder, epoch },
    watch: (ledger) => new WatchedLedger(ledger, boundaries),
    watchIndex: (index) => watched(index, boundaries),
  });
}

async function begin({ folder, dieAt }: MemoryCut & { readonly dieAt: number }) {
  const boundaries = new Boundaries(dieAt);
  await using world = await openWorld(folder, boundaries, 1);
  boundaries.isArmed = true;
  await change(world);
  boundaries.isArmed = false;
  return await reportOf(world, boundaries.count);
}

/** Each thing that the index is told of, several times, with a look at it in between. */
async function change(world: MemoryWorld): Promise<void> {
  for (const round of [1, 2, 3, 4]) {
    for (const [place, text] of ['roof', 'wall', 'door'].entries()) {
      const value = `house ${text} of round ${round} and ${place}`;
      await world.store(`talk/${round}/${text}`, value, { thread: `talk ${round}` });
    }
    await world.found('house');
    await world.store('plan', `house plan ${round}`);
    await world.memory.forget(place(`talk/${round}/door`), { below: false, actor: jean });
    await world.found('house');
    await world.store('secret', `house canary ${round}`);
    await world.memory.purge(place('secret'), { below: false, actor: 'owner' });
  }
}

async function reportOf(world: MemoryWorld, boundaries: number): Promise<MemoryReport> {
  const limit = 50;
  const listed = await world.memory.list(callerFor(jean), {
    ...{ owner: jean, scope: 'long-term', limit },
  });
  const { hits } = await world.memory.search(callerFor(jean), { query: 'house', limit });
  const near = await world.memory.search(callerFor(jean), { query: 'roof', limit });
  return {
    boundaries,
    kept: listed.map(({ key }) => key).sort(),
    found: hits.map(({ memory }) => memory.key).sort(),
    isNextToRoof: near.hits.some(({ memory }) => memory.key === 'talk/1/wall'),
  };
}

// What is said is said before the next moment, which may be the last.
const say = (report: MemoryReport) => writeSync(1, `${JSON.stringify(report)}\n`);

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  readonly finish?: MemoryCut;
  readonly begin: MemoryCut & { readonly dieAt: number };
};
if (orders.finish !== undefined) {
  await using world = await openWorld(orders.finish.folder, new Boundaries(), 2);
  say(await reportOf(world, 0));
}
say(await begin(orders.begin));
