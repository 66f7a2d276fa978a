/** The first half of the seeds; relay-more.test.ts has the other, for the second core. */
import { expect, test } from 'vitest';
import { testSeeds } from './relay-seeds.ts';
import { simulateRelay } from './relay-simulation.ts';

test.each([3, 17, 58])('seed %i runs the same way twice', async (seed) => {
  const first = await simulateRelay(seed);

  const second = await simulateRelay(seed);

  expect(second.log).toEqual(first.log);
});

testSeeds(0, 2);
