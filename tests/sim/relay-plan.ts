/** What a seed decides before anything happens. */
import { Dice } from './dice.ts';

export interface RelayPlan {
  readonly seed: number;
  readonly agents: readonly PlannedAgent[];
  /** Two processes that deliver from one ledger, or one that may die. */
  readonly nodes: 1 | 2;
  readonly deaths: number;
  /** Whether agents put files into their outboxes, too. */
  readonly outboxes: boolean;
  readonly steps: number;
  readonly slowPercent: number;
  readonly lostNoticesPercent: number;
  readonly faults: boolean;
  readonly mailboxMessages: number;
}

export interface PlannedAgent {
  readonly name: string;
  /** Takes files out of its inbox; calls the relay; or has an inbox that nobody can write to. */
  readonly ways: 'files' | 'calls' | 'broken';
}

const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'] as const;

export function planOf(seed: number): RelayPlan {
  const dice = new Dice(seed);
  const nodes = dice.chance(15) ? 2 : 1;
  const agents = names.slice(0, 2 + dice.below(5)).map((name, place) => ({
    name,
    // The first two are sound, so that something can be seen.
    ways: place === 0 ? 'files' : place === 1 ? 'calls' : waysOf(dice),
  })) satisfies PlannedAgent[];
  return {
    seed,
    agents,
    nodes,
    deaths: nodes === 2 ? 0 : dice.below(5),
    outboxes: nodes === 1 && dice.chance(30),
    steps: 15 + dice.below(40),
    slowPercent: dice.pick([0, 0, 5, 20]),
    lostNoticesPercent: dice.pick([0, 0, 10, 60]),
    faults: dice.chance(60),
    mailboxMessages: dice.pick([1000, 1000, 6]),
  };
}

function waysOf(dice: Dice): PlannedAgent['ways'] {
  return dice.pick(['files', 'files', 'calls', 'calls', 'broken']);
}
