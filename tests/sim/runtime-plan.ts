/** What a seed of the simulated runtime decides before anything happens. */
import type { Limits } from '../../src/kernel/agent/budget.ts';
import { Dice } from './dice.ts';

export interface RuntimePlan {
  readonly seed: number;
  readonly agents: readonly PlannedRunner[];
  /** Two processes that work from one ledger at once, or one that may die. */
  readonly nodes: 1 | 2;
  readonly deaths: number;
  /** How often a process stands still for longer than a lease, and goes on when another works. */
  readonly freezes: number;
  readonly steps: number;
  readonly slowPercent: number;
  readonly slots: number;
  /** Whether commits fail, the wall clock jumps and models break. */
  readonly faults: boolean;
}

export interface PlannedRunner {
  readonly name: string;
  readonly isStanding: boolean;
  readonly restart: 'never' | 'on-failure';
  readonly maySpawn: boolean;
  readonly budget: Limits;
}

const names = ['ada', 'bob', 'cyd', 'dan', 'eve'] as const;

export function planOf(seed: number): RuntimePlan {
  const dice = new Dice(seed);
  const nodes = dice.chance(25) ? 2 : 1;
  return {
    seed,
    nodes,
    agents: names.slice(0, 1 + dice.below(names.length)).map((name) => ({
      name,
      isStanding: dice.chance(60),
      restart: dice.pick(['never', 'on-failure']),
      maySpawn: dice.chance(50),
      budget: limitsOf(dice),
    })),
    deaths: dice.below(5),
    freezes: dice.below(3),
    steps: 20 + dice.below(40),
    slowPercent: dice.pick([0, 0, 5, 20]),
    slots: 1 + dice.below(4),
    faults: dice.chance(60),
  };
}

/** Often none; else of one or more kinds, and sometimes hardly anything. */
export function limitsOf(dice: Dice): Limits {
  if (dice.chance(40)) return {};
  return {
    ...(dice.chance(60) ? { tokens: dice.pick([40, 300, 3000]) } : {}),
    ...(dice.chance(40) ? { cost: dice.pick([50, 800, 9000]) } : {}),
    ...(dice.chance(40) ? { tool_calls: dice.pick([0, 3, 30]) } : {}),
    ...(dice.chance(40) ? { children: dice.pick([0, 1, 4]) } : {}),
    ...(dice.chance(15) ? { wall: dice.pick([20, 5000, 100_000]) } : {}),
  };
}
