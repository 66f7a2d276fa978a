/** Runs seeds of the runtime one after another, and says how to run one of them again. */
import { expect, test } from 'vitest';
import { simulateRuntime } from './runtime-simulation.ts';

const isFull = process.env['AOS_TEST_FULL'] === '1';
const only = process.env['AOS_TEST_SEED'];
const seedsInAll = isFull ? 5000 : 200;
const seedsPerTest = 50;
const shownLines = 400;

export function testRuntimeSeeds(): void {
  if (only !== undefined) {
    test(`seed ${only}`, () => expectSound(Number(only)));
    return;
  }
  for (let first = 1; first <= seedsInAll; first += seedsPerTest) {
    const last = Math.min(first + seedsPerTest, seedsInAll + 1) - 1;
    test(`whatever goes wrong in seeds ${first} to ${last}, every operation ends as it should`, async () => {
      for (let seed = first; seed <= last; seed++) await expectSound(seed);
    });
  }
}

async function expectSound(seed: number): Promise<void> {
  const { findings, log } = await simulateRuntime(seed);
  if (findings.length === 0) return;
  const again = `AOS_TEST_SEED=${seed} npx vitest run --project sim tests/sim/runtime.test.ts`;
  expect.fail(
    [...log.slice(-shownLines), '', `Seed ${seed}:`, ...findings, '', `Again: ${again}`].join('\n'),
  );
}
