/** What the door adds to the two transactions that it cannot do without. */
import { join } from 'node:path';
import * as z from 'zod';
import { realClock, realRandom } from '../src/engines/clock.ts';
import { Grants } from '../src/security/grants/grants.ts';
import { Scrubber, scrubbedLedger } from '../src/security/secrets/scrub.ts';
import { ToolCalls } from '../src/tools/call.ts';
import { defaultCallLimits } from '../src/tools/deps.ts';
import { defineTool } from '../src/tools/tool.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import { openBenchLedger } from './ledger.ts';
import { benchEvent, benchRow, insertBenchRow } from './raw-ledger.ts';
import { workplace } from './workplace.ts';

const callsPerRound = 300;

export const toolBenches: readonly Bench[] = [
  {
    name: 'tools.call',
    unit: 'ms',
    floorIs: 'two ledger transactions one after the other, a row and an event each; p50',
    target: '<=1.8',
    rounds: 21,
    prepare,
  },
];

const noop = defineTool({
  name: 'bench.noop',
  summary: 'Does nothing',
  schema: z.strictObject({ text: z.string() }),
  effect: 'external',
  actions: () => [{ resource: 'tool', action: 'call', name: 'bench.noop' }],
  run: async () => ({ done: true }),
});

async function prepare(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const bare = disposables.use(await openBenchLedger(join(folder, 'bare.db'), 1));
  const scrubber = new Scrubber();
  scrubber.add({ name: 'KEY', value: 'sk-0123456789abcdefghij', prefix: 'Bearer ' });
  const raw = disposables.use(await openBenchLedger(join(folder, 'ledger.db'), 1));
  const ledger = scrubbedLedger(raw, scrubber);
  const ports = { ledger, clock: realClock, random: realRandom };
  const grants = new Grants(ports);
  await grants.change(async (_tx, changes) => {
    const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
    await changes.give({ principal: 'agent:jean', capability: 'tool:bench.*:call', ...facts });
  });
  const calls = disposables.use(
    new ToolCalls({
      ...ports,
      ...{ grants, scrubber, limits: defaultCallLimits, tool: () => noop },
      log: { error: () => {} },
      notify: async () => {},
    }),
  );
  const write = () =>
    bare.transact(async (tx) => {
      const { type, payload } = benchRow;
      await tx.run(insertBenchRow, [type, JSON.stringify(payload), Date.now()]);
      await tx.record(benchEvent);
    });
  return {
    value: () =>
      timeEach(async () => {
        const args = { text: 'hello' };
        const outcome = await calls.call({ principal: 'agent:jean', tool: 'bench.noop', args });
        if (outcome.kind !== 'answered') throw new Error('the call was not answered');
      }),
    floor: () =>
      timeEach(async () => {
        await write();
        await write();
      }),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function timeEach(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < callsPerRound; call++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return quantile(times, 0.5);
}
