/** What the ledger adds to the rows and the flush that it cannot do without. */
import { join } from 'node:path';
import { realClock, realEventLoop } from '../src/engines/clock.ts';
import { realDisk } from '../src/engines/disk/disk.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import { openSqliteLedger } from '../src/ledger/sqlite/sqlite.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import {
  addManyEvents,
  benchEvent,
  benchRow,
  createRawLedger,
  insertBenchRow,
} from './raw-ledger.ts';
import { workplace } from './workplace.ts';

const callers = 64;
const writesPerRound = 24_000;
const manyEvents = 1_000_000;
const fewEvents = 1000;

export const ledgerBenches: readonly Bench[] = [
  {
    name: 'ledger.batched',
    unit: 'tx/s',
    floorIs: `node:sqlite, FULL, the same rows and hashes in batches of ${callers}, one from each caller`,
    target: '>=0.6',
    rounds: 21,
    prepare: prepareBatched,
  },
  {
    name: 'ledger.stall',
    unit: 'ms',
    floorIs: 'p99 of one raw commit of as many rows; the value is the p99 of a turn',
    target: '<=2',
    rounds: 21,
    prepare: prepareStall,
  },
  {
    name: 'ledger.growth',
    unit: 'tx/s',
    floorIs: `the same ledger with ${fewEvents} events in it instead of ${manyEvents}`,
    target: '>=0.8',
    rounds: 15,
    prepare: prepareGrowth,
  },
];

async function prepareBatched(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const ledger = disposables.use(await openBenchLedger(join(folder, 'ledger.db'), 1));
  const raw = disposables.use(await createRawLedger(join(folder, 'raw.db')));
  return {
    value: async () => (await writeFromAll(ledger)).perSecond,
    // Not the batches that the ledger made: one that grouped badly would lower its own floor.
    async floor() {
      let tookMs = 0;
      let written = 0;
      for (; written < writesPerRound; written += callers) {
        tookMs += raw.commitBatch(callers).totalMs;
      }
      return (1000 * written) / tookMs;
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function prepareStall(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const ledger = disposables.use(await openBenchLedger(join(folder, 'ledger.db'), 1));
  const raw = disposables.use(await createRawLedger(join(folder, 'raw.db')));
  let batchSize = callers;
  return {
    async value() {
      const turns = measureTurns();
      batchSize = (await writeFromAll(ledger)).meanBatch;
      return quantile(turns.stop(), 0.99);
    },
    async floor() {
      const batches = Math.ceil(writesPerRound / batchSize);
      const commits = Array.from({ length: batches }, () => raw.commitBatch(batchSize).commitMs);
      return quantile(commits, 0.99);
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function prepareGrowth(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const openFilled = async (name: string, events: number) => {
    const path = join(folder, name);
    await (await openBenchLedger(path, 1))[Symbol.asyncDispose]();
    addManyEvents(path, events);
    return disposables.use(await openBenchLedger(path, 2));
  };
  const large = await openFilled('large.db', manyEvents);
  const small = await openFilled('small.db', fewEvents);
  return {
    value: async () => (await writeFromAll(large)).perSecond,
    floor: async () => (await writeFromAll(small)).perSecond,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

export function openBenchLedger(path: string, epoch: number): Promise<Ledger> {
  const deps = { disk: realDisk, clock: realClock, eventLoop: realEventLoop };
  const onLost = (why: Error) => {
    throw why;
  };
  return openSqliteLedger(deps, { path, epoch, onLost });
}

/**
 * Writes until the log was moved into the ledger once. From then on it is written over, which is
 * flushed with half of the work: a bench must not pass from the one to the other in the middle.
 */
export async function fillLog(ledger: Ledger): Promise<void> {
  const payload = 'x'.repeat(1024 * 1024);
  for (let left = 40; left > 0; left--) {
    await ledger.transact((tx) => tx.run(insertBenchRow, ['filler', payload, 0]));
  }
  await ledger.transact((tx) =>
    tx.run("delete from pending_operations where operation_type = 'filler'", []),
  );
}

async function writeFromAll(ledger: Ledger): Promise<{ perSecond: number; meanBatch: number }> {
  let commits = 0;
  using _counting = ledger.onEvents(() => commits++);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: callers }, () => writeInTurn(ledger)));
  const tookMs = performance.now() - startedAt;
  return {
    perSecond: (1000 * writesPerRound) / tookMs,
    meanBatch: Math.round(writesPerRound / commits),
  };
}

async function writeInTurn(ledger: Ledger): Promise<void> {
  for (let left = writesPerRound / callers; left > 0; left--) {
    await ledger.transact(async (tx) => {
      const { type, payload } = benchRow;
      await tx.run(insertBenchRow, [type, JSON.stringify(payload), Date.now()]);
      await tx.record(benchEvent);
    });
  }
}

/** How long each turn of the event loop takes, from now until it is stopped. */
function measureTurns(): { stop(): number[] } {
  const turns: number[] = [];
  let turnedAt = performance.now();
  let running = true;
  const turn = () => {
    const now = performance.now();
    turns.push(now - turnedAt);
    turnedAt = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      running = false;
      return turns;
    },
  };
}
