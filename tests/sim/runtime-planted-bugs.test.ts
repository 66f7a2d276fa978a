/** What the simulator of the runtime is worth: bugs that are put in on purpose, and found. */
import { expect, test } from 'vitest';
import {
  holdUnguarded,
  leaseUnchecked,
  parentUntold,
  requeueLost,
} from './runtime-planted-bugs.ts';
import { simulateRuntime } from './runtime-simulation.ts';
import type { RuntimePlant } from './runtime-world.ts';

const mostSeeds = 300;

/** The first seed in which it is found. */
async function firstSeed(plant: RuntimePlant, kind: RegExp): Promise<number> {
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { findings } = await simulateRuntime(seed, plant);
    if (findings.some((finding) => kind.test(finding))) return seed;
  }
  throw new Error('no seed has found it');
}

test.each([
  ['a lease that nobody asks for', leaseUnchecked, /^(?:unfenced|twice): /],
  ['a hold that looks at nothing', holdUnguarded, /^overspent: /],
  ['an operation that waits for ever', requeueLost, /^open: .* is waiting/],
  ['a parent that does not hear of its child', parentUntold, /^(?:untold|open): /],
])(
  'the simulator finds %s, and nothing in the same seed without it',
  async (_what, plant, kind) => {
    const seed = await firstSeed(plant, kind);

    const { findings } = await simulateRuntime(seed);

    expect(findings).toEqual([]);
  },
);
