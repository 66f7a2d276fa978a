/** Runs seeds one after another, and says how to run one of them again. */
import { expect, test } from 'vitest';
import { seeds } from '../support/tier.ts';
import { simulateRelay } from './relay-simulation.ts';

const only = process.env['AOS_SIM_SEED'];
const seedsPerTest = 100;
const shownLines = 400;

/** The tests of one of `files` files: each takes every so many hundreds of seeds. */
export function testSeeds(file: number, files: number): void {
  if (only !== undefined) {
    if (file === 0) test(`seed ${only}`, () => expectSound(Number(only)));
    return;
  }
  const drawn = seeds('relay', { fast: 200, full: 20_000 });
  for (let at = file * seedsPerTest; at < drawn.length; at += files * seedsPerTest) {
    const these = drawn.slice(at, at + seedsPerTest);
    const words = `${these.length} seeds from ${these[0]} to ${these.at(-1)}`;
    test(`whatever goes wrong in ${words}, every message ends as it should`, async () => {
      for (const seed of these) await expectSound(seed);
    });
  }
}

async function expectSound(seed: number): Promise<void> {
  const { findings, log } = await simulateRelay(seed);
  if (findings.length === 0) return;
  const again = `AOS_SIM_SEED=${seed} npx vitest run --project sim tests/sim/relay.test.ts`;
  expect.fail(
    [...log.slice(-shownLines), '', `Seed ${seed}:`, ...findings, '', `Again: ${again}`].join('\n'),
  );
}
