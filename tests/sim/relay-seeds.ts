/** Runs seeds one after another, and says how to run one of them again. */
import { expect, test } from 'vitest';
import { simulateRelay } from './relay-simulation.ts';

const isFull = process.env['AOS_TEST_FULL'] === '1';
const only = process.env['AOS_TEST_SEED'];
const seedsInAll = isFull ? 20_000 : 2000;
const seedsPerTest = 100;
const shownLines = 400;

/** The tests of one of `files` files: each takes every so many hundreds of seeds. */
export function testSeeds(file: number, files: number): void {
  if (only !== undefined) {
    if (file === 0) test(`seed ${only}`, () => expectSound(Number(only)));
    return;
  }
  for (let first = 1 + file * seedsPerTest; first <= seedsInAll; first += files * seedsPerTest) {
    const last = Math.min(first + seedsPerTest, seedsInAll + 1) - 1;
    test(`whatever goes wrong in seeds ${first} to ${last}, every message ends as it should`, async () => {
      for (let seed = first; seed <= last; seed++) await expectSound(seed);
    });
  }
}

async function expectSound(seed: number): Promise<void> {
  const { findings, log } = await simulateRelay(seed);
  if (findings.length === 0) return;
  const again = `AOS_TEST_SEED=${seed} npx vitest run --project sim tests/sim/relay.test.ts`;
  expect.fail(
    [...log.slice(-shownLines), '', `Seed ${seed}:`, ...findings, '', `Again: ${again}`].join('\n'),
  );
}
