import type { WireGoal, WireStep } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { indented } from '../core/indented.ts';
import { modelWords } from '../core/model-word.ts';
import { table } from '../core/table.ts';
import { agoWords, budgetText, stateWords } from './goal-words.ts';
import { stepsTable, wholeStep } from './step-words.ts';

export interface GoalView {
  readonly steps: readonly WireStep[];
  /** All steps, in full. */
  readonly isWhole: boolean;
  readonly now: Instant;
  /** What a human is to do for it. */
  readonly howOn?: { readonly what: string; readonly command: string } | undefined;
}

export function goalText(goal: WireGoal, view: GoalView): string {
  const parts = [
    table(factsOf(goal, view).map((row) => row.map(oneLine))),
    `what is to be done:\n${indented(printable(goal.goal))}`,
    ...(goal.budget === null ? [] : [budgetText(goal.budget)]),
    ...(view.steps.length === 0 ? [] : [stepsText(goal, view)]),
    ...(goal.result === null ? [] : [`result:\n${indented(printable(goal.result))}`]),
  ];
  return parts.join('\n\n');
}

function factsOf(goal: WireGoal, { now, howOn }: GoalView): string[][] {
  const { parent, model, deadline_at, started_at, ended_at, children, error } = goal;
  return [
    ['goal', goal.id],
    ['state', stateWords(goal, now)],
    ...(error === null ? [] : [['error', `${error.code}: ${error.message}`]]),
    ...(error?.fix === undefined ? [] : [['try', error.fix]]),
    ...(howOn === undefined
      ? []
      : [
          ['waits', howOn.what],
          ['try', howOn.command],
        ]),
    ...(goal.state === 'paused' ? [['try', `aos resume ${goal.agent}`]] : []),
    ['agent', `${goal.agent}, because ${goal.because}`],
    ['owner', goal.owner],
    ...(model === null ? [] : [['model', goal.scripted ? scriptedWords(model) : model]]),
    ['priority', String(goal.priority)],
    ['submitted', `${goal.created_at}, ${agoWords(goal.created_at, now)}`],
    ...(deadline_at === null ? [] : [['deadline', deadline_at]]),
    ...(started_at === null ? [] : [['started', started_at]]),
    ...(ended_at === null ? [] : [['ended', ended_at]]),
    ...(parent === null ? [] : [['part of', parent]]),
    ...children.map(({ id, agent, state }) => ['has part', `${id}, ${agent}, ${state}`]),
  ];
}

// What the daemon says counts, whatever the name of the model looks like.
function scriptedWords(model: string): string {
  const words = modelWords(model);
  return words === model ? `${model} (scripted model: follows a script)` : words;
}

function stepsText({ agent, steps: count }: WireGoal, { steps, isWhole }: GoalView): string {
  if (isWhole) return steps.map((step) => wholeStep(step, agent)).join('\n\n');
  const left = count - steps.length;
  const head =
    left > 0 ? `the last ${steps.length} of ${count} steps (--steps for all):` : 'steps:';
  return `${head}\n${stepsTable(steps, agent)}`;
}
