import { expect, test } from 'vitest';
import { testRuntimeSeeds } from './runtime-seeds.ts';
import { simulateRuntime } from './runtime-simulation.ts';

test.each([3, 17, 58])('seed %i of the runtime runs the same way twice', async (seed) => {
  const first = await simulateRuntime(seed);

  const second = await simulateRuntime(seed);

  expect(second.log).toEqual(first.log);
});

testRuntimeSeeds();
