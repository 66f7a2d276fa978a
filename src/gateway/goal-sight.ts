/** What whoever follows a goal sees of it: the same on both sides of the wire. */
import type { Delta } from '../kernel/model.ts';
import type { WireGoalSummary, WireStep } from './contract.ts';

export type GoalSight =
  | { readonly kind: 'step'; readonly step: WireStep }
  /** Words as they come, of an answer whose step follows. */
  | { readonly kind: 'delta'; readonly delta: Delta }
  | ({ readonly kind: 'state' } & GoalState)
  /** The goal is over, and all of its steps have been seen. */
  | { readonly kind: 'end'; readonly state: WireGoalSummary['state'] };

export type GoalState = Pick<WireGoalSummary, 'state' | 'waits_for'>;
