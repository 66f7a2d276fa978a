/** Follows a goal from outside, over restarts of the daemon. */

import type { GoalSight, GoalState } from '../contract/goal-sight.ts';
import { type FollowDeps, type FollowOptions, followStream, type Sights } from './follow-stream.ts';

export function followGoal(
  deps: FollowDeps,
  path: string,
  options?: FollowOptions,
): AsyncGenerator<GoalSight, void, void> {
  return followStream(deps, path, goalSights(), options);
}

function goalSights(): Sights<GoalSight> {
  let state: GoalState | undefined;
  return {
    of: sightOf,
    placeOf: (sight) => (sight.kind === 'step' ? sight.step.seq : undefined),
    isRepeated: (sight) => {
      if (sight.kind !== 'state') return false;
      const isRepeated = isSame(sight, state);
      state = sight;
      return isRepeated;
    },
    isEnd: ({ kind }) => kind === 'end',
  };
}

function isSame(one: GoalState, other: GoalState | undefined): boolean {
  return one.state === other?.state && one.waits_for === other.waits_for;
}

// The versions were compared, as for every answer: the content is what its name says.
function sightOf(event: string, content: unknown): GoalSight | undefined {
  type Of<Kind> = Extract<GoalSight, { kind: Kind }>;
  switch (event) {
    case 'step':
      return { kind: 'step', step: content as Of<'step'>['step'] };
    case 'delta':
      return { kind: 'delta', delta: content as Of<'delta'>['delta'] };
    case 'output':
      return { kind: 'output', ...(content as Omit<Of<'output'>, 'kind'>) };
    case 'dropped':
      return { kind: 'dropped', ...(content as Omit<Of<'dropped'>, 'kind'>) };
    case 'state':
      return { kind: 'state', ...(content as GoalState) };
    case 'end':
      return { kind: 'end', state: (content as Of<'end'>).state };
    default:
      return undefined;
  }
}
