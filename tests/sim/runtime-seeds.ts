/** Runs seeds of the runtime one after another, and says how to run one of them again. */
import { expect, test } from 'vitest';
import { seeds } from '../support/tier.ts';
import { simulateRuntime } from './runtime-simulation.ts';

const only = process.env['AOS_SIM_SEED'];
const seedsPerTest = 50;
const shownLines = 400;

export function testRuntimeSeeds(): void {
  if (only !== undefined) {
    test(`seed ${only}`, () => expectSound(Number(only)));
    return;
  }
  const drawn = seeds('runtime', { fast: 50, full: 5000 });
  for (let at = 0; at < drawn.length; at += seedsPerTest) {
    const these = drawn.slice(at, at + seedsPerTest);
    const words = `${these.length} seeds from ${these[0]} to ${these.at(-1)}`;
    test(`whatever goes wrong in ${words}, every operation ends as it should`, async () => {
      for (const seed of these) await expectSound(seed);
    });
  }
}

async function expectSound(seed: number): Promise<void> {
  const { findings, log } = await simulateRuntime(seed);
  if (findings.length === 0) return;
  const again = `AOS_SIM_SEED=${seed} npx vitest run --project sim tests/sim/runtime.test.ts`;
  expect.fail(
    [...log.slice(-shownLines), '', `Seed ${seed}:`, ...findings, '', `Again: ${again}`].join('\n'),
  );
}
