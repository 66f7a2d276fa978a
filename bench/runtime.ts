/** What the runtime adds to the transactions that it cannot do without. */
import { join } from 'node:path';
import { findOperation } from '../src/ledger/operations/operations.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import { fillLog, openBenchLedger } from './ledger.ts';
import { benchEvent, benchRow, insertBenchRow } from './raw-ledger.ts';
import { openRuntimeHome, type RuntimeHome, specOn } from './runtime-home.ts';

const turnsPerRun = 50;
const spawnsPerRound = 60;

export const runtimeBenches: readonly Bench[] = [
  {
    name: 'runtime.step',
    unit: 'ms a tool turn',
    floorIs:
      'its four ledger transactions (asked, answered, the call started, the call answered) with a row and an event each',
    target: '<=2',
    rounds: 15,
    prepare: prepareStep,
  },
  {
    name: 'runtime.spawn',
    unit: 'ms to the first step, p50',
    floorIs: 'its three ledger transactions (spawned, claimed, asked) with a row and an event each',
    target: '<=3',
    rounds: 15,
    prepare: prepareSpawn,
  },
];

async function prepareStep(): Promise<Sides> {
  const home = await openRuntimeHome();
  const model = home.script('steps', [
    { repeat: turnsPerRun, say: 'on', call: [{ tool: 'bench.noop', args: { text: 'hello' } }] },
    { say: 'done' },
  ]);
  const bare = await bareLedger(home);
  let runs = 0;
  return {
    value: async () => {
      const { first, last } = await timeRun(home, `agent-${runs++}`, model);
      return (last - first) / turnsPerRun;
    },
    floor: async () => {
      const startedAt = performance.now();
      for (let turn = 0; turn < turnsPerRun; turn++) {
        for (let written = 0; written < 4; written++) await bare.write();
      }
      return (performance.now() - startedAt) / turnsPerRun;
    },
    async [Symbol.asyncDispose]() {
      await bare[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

interface RunTimes {
  readonly first: number;
  readonly last: number;
}

/** From the first question to the last answer. */
async function timeRun(home: RuntimeHome, name: string, model: string): Promise<RunTimes> {
  const over = Promise.withResolvers<void>();
  let first: number | undefined;
  let last = 0;
  const { operationId = '' } = await home.runtime.spawn({
    ...{ name, by: 'owner', spec: specOn(model), goal: { text: 'Take your steps.' } },
  });
  using _following = home.runtime.followers.follow(operationId, (sight) => {
    if (sight.kind === 'state') over.resolve();
    if (sight.kind !== 'step') return;
    first ??= performance.now();
    if (sight.step.step.kind === 'answered') last = performance.now();
  });
  await over.promise;
  const state = (await findOperation(home.ledger.committed, operationId))?.state;
  if (state !== 'completed') throw new Error(`the run is ${state}`);
  return { first: first ?? last, last };
}

async function prepareSpawn(): Promise<Sides> {
  const home = await openRuntimeHome();
  const model = home.script('short', [{ say: 'done' }]);
  const bare = await bareLedger(home);
  let spawned = 0;
  return {
    value: async () => {
      const times: number[] = [];
      for (let left = spawnsPerRound; left > 0; left--) {
        times.push(await timeSpawn(home, `agent-${spawned++}`, model));
      }
      return quantile(times, 0.5);
    },
    floor: async () => {
      const times: number[] = [];
      for (let left = spawnsPerRound; left > 0; left--) {
        const startedAt = performance.now();
        for (let written = 0; written < 3; written++) await bare.write();
        times.push(performance.now() - startedAt);
      }
      return quantile(times, 0.5);
    },
    async [Symbol.asyncDispose]() {
      await bare[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

async function timeSpawn(home: RuntimeHome, name: string, model: string): Promise<number> {
  const startedAt = performance.now();
  const { operationId = '' } = await home.runtime.spawn({
    ...{ name, by: 'owner', spec: specOn(model), goal: { text: 'Say so.' } },
  });
  const first = Promise.withResolvers<number>();
  const over = Promise.withResolvers<void>();
  using _following = home.runtime.followers.follow(operationId, (sight) => {
    if (sight.kind === 'step') first.resolve(performance.now());
    if (sight.kind === 'state') over.resolve();
  });
  const tookMs = (await first.promise) - startedAt;
  // The end of one is not to be measured with the next.
  await over.promise;
  return tookMs;
}

async function bareLedger({ folder, ledger: own }: RuntimeHome) {
  await fillLog(own);
  const ledger = await openBenchLedger(join(folder, 'bare.db'), 1);
  await fillLog(ledger);
  return {
    write: () =>
      ledger.transact(async (tx) => {
        const { type, payload } = benchRow;
        await tx.run(insertBenchRow, [type, JSON.stringify(payload), Date.now()]);
        await tx.record(benchEvent);
      }),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}
