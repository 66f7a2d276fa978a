/** What the simulator is worth: bugs that are put in on purpose, and found. */
import { expect, test } from 'vitest';
import { answerBeforeDurable, claimUnguarded, forgetDeadLetters } from './planted-bugs.ts';
import { simulateRelay } from './relay-simulation.ts';
import type { Plant } from './relay-world.ts';

const mostSeeds = 2000;

/** The first seed in which it is found, and what is said of it. */
async function firstFinding(plant: Plant, kind: RegExp): Promise<{ seed: number; said: string }> {
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { findings } = await simulateRelay(seed, plant);
    const said = findings.find((finding) => kind.test(finding));
    if (said !== undefined) return { seed, said };
  }
  throw new Error('no seed has found it');
}

test.each([
  ['an answer before the flush', answerBeforeDurable, /^lost: .* was acknowledged/],
  ['a claim that looks at nothing', claimUnguarded, /^(?:twice|held|lost|phantom): /],
  [
    'a dead letter of which nobody hears',
    forgetDeadLetters,
    /^untold: .* told 0 times .* is dead$/,
  ],
])(
  'the simulator finds %s, and nothing in the same seed without it',
  async (_what, plant, kind) => {
    const { seed } = await firstFinding(plant, kind);

    const { findings } = await simulateRelay(seed);

    expect(findings).toEqual([]);
  },
);
