/**
 * The order in which moves are done, so that none takes a name which another has yet to leave.
 * Names that change places, or go round in a circle, are taken apart over a name in between.
 */
import type { MoveStep, PlanStep } from './plan.ts';

/** `between` gives a name in the same folder that nothing has. */
export function inOrder(
  moves: readonly MoveStep[],
  between: (path: string, number: number) => string,
): readonly MoveStep[] {
  const byFrom = new Map(moves.map((move) => [move.from, move]));
  const state = new Map<MoveStep, 'open' | 'done'>();
  const ordered: MoveStep[] = [];
  let circles = 0;
  for (const first of moves) {
    const chain: MoveStep[] = [];
    let move: MoveStep | undefined = first;
    // What has the name that this one wants goes first.
    while (move !== undefined && state.get(move) === undefined) {
      state.set(move, 'open');
      chain.push(move);
      move = byFrom.get(move.to);
    }
    // It comes back to itself: the last one waits under a name in between.
    const isCircle = move !== undefined && state.get(move) === 'open';
    const last = isCircle ? chain.pop() : undefined;
    const aside = last && between(last.from, circles++);
    if (last !== undefined && aside !== undefined) {
      ordered.push({ ...last, to: aside, replaces: undefined });
      state.set(last, 'done');
    }
    for (const one of chain.reverse()) {
      ordered.push(one);
      state.set(one, 'done');
    }
    if (last !== undefined && aside !== undefined) ordered.push({ ...last, from: aside });
  }
  return ordered;
}

/** A name in between, as `inOrder` is given it. */
export const betweenMark = '/.aos-swap-';

/** The first and the last step of each that goes over a name in between. */
export function circlesOf(
  steps: readonly PlanStep[],
): readonly { readonly first: number; readonly last: number }[] {
  return steps.flatMap((step, first) => {
    if (step.do !== 'move' || !step.to.includes(betweenMark)) return [];
    const last = steps.findIndex((one) => one.do === 'move' && one.from === step.to);
    return last === -1 ? [] : [{ first, last }];
  });
}

/** As people mean them: what goes over a name in between goes straight to its end. */
export function straight(steps: readonly PlanStep[]): readonly PlanStep[] {
  const left = new Set(steps.flatMap((step) => (step.do === 'move' ? [step.from] : [])));
  const asides = new Map<string, string>();
  for (const step of steps) {
    const isAside = step.do === 'move' && step.to.includes(betweenMark) && left.has(step.to);
    if (isAside) asides.set(step.to, step.from);
  }
  return steps.flatMap((step): readonly PlanStep[] => {
    if (step.do !== 'move') return [step];
    if (asides.has(step.to)) return [];
    return [{ ...step, from: asides.get(step.from) ?? step.from }];
  });
}
