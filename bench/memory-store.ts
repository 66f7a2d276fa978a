/** What remembering costs beyond the transaction that it cannot do without. */
import { join } from 'node:path';
import { realClock, realEventLoop, realRandom } from '../src/engines/clock.ts';
import { realDisk } from '../src/engines/disk/disk.ts';
import { openMemoryIndex } from '../src/engines/memory/memory-index.ts';
import { openTimeZone } from '../src/engines/time-zone.ts';
import { openSqliteLedger } from '../src/ledger/sqlite/sqlite.ts';
import { MemoryManager } from '../src/memory/memory-manager.ts';
import { type NewMemory, storeIn } from '../src/memory/store.ts';
import { Grants } from '../src/security/grants/grants.ts';
import type { Bench, Sides } from './frame.ts';
import { workplace } from './workplace.ts';

const callers = 64;
const storesPerRound = 3200;
const jean = 'agent:jean';

export const memoryStoreBenches: readonly Bench[] = [
  {
    name: 'memory.store',
    unit: 'stores/s',
    floorIs: 'the same transactions alone; the value has the search index follow too',
    target: '>=0.5',
    rounds: 9,
    prepare,
  },
];

async function prepare(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const engines = { clock: realClock, disk: realDisk, eventLoop: realEventLoop };
  const open = (name: string) =>
    openSqliteLedger(engines, { path: join(folder, name), epoch: 1, onLost: () => {} });
  const ledger = disposables.use(await open('ledger.db'));
  const bare = disposables.use(await open('bare.db'));
  const index = disposables.use(
    openMemoryIndex({ file: join(folder, 'search.db'), clock: realClock }),
  );
  const memory = disposables.use(
    new MemoryManager({
      ...{ ledger, index, clock: realClock, random: realRandom, log: { warn: () => {} } },
      grants: new Grants({ ledger, clock: realClock, random: realRandom }),
      zone: openTimeZone('UTC'),
      embedder: () => undefined,
    }),
  );
  let stored = 0;
  const wanted = (place: number): NewMemory => {
    const key = `notes/${stored++}`;
    return {
      place: { owner: jean, scope: 'long-term', key },
      ...{ value: textOf(place), thread: `talk ${place % 50}` },
      ...{ author: jean, source: `tool-call:${key}` },
    };
  };
  return {
    value: () =>
      perSecond(async () => {
        await fromAll((place) => memory.store(wanted(place)));
        // All of it can be found.
        await memory.state();
      }),
    floor: () =>
      perSecond(() =>
        fromAll((place) => {
          const memory = wanted(place);
          return bare.transact((tx) => storeIn(tx, memory, realClock.now()));
        }),
      ),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

const words = ['house', 'river', 'garden', 'window', 'account', 'morning', 'company', 'travel'];

/** Some forty words. */
function textOf(place: number): string {
  return Array.from({ length: 40 }, (_, word) => {
    const spoken = words[(place * 7 + word * word) % words.length] ?? '';
    return word % 9 === 0 ? `${spoken}${(place * 31 + word) % 5000}` : spoken;
  }).join(' ');
}

async function fromAll(store: (place: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < storesPerRound) await store(next++);
    }),
  );
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (storesPerRound * 1000) / (performance.now() - startedAt);
}
