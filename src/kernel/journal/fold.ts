/** Where a run stands, from the steps that it has taken. Resuming is asking this again. */

import type { AnswerPart } from '../agent/model.ts';
import type { ErrorReport } from '../errors.ts';
import type { EndState, Hold, JournalStep, Step } from './step.ts';

export type ToolCallPart = Extract<AnswerPart, { kind: 'tool-call' }>;

/** What comes next. */
export type Next =
  /** Nothing has happened yet. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'ask'; readonly turn: number }
  /** The model was asked, and what came of it is not known. */
  | { readonly kind: 'asked'; readonly turn: number; readonly hold: Hold }
  | { readonly kind: 'call'; readonly turn: number; readonly calls: readonly ToolCallPart[] }
  /** What the model wants to be done is not covered by a budget. */
  | { readonly kind: 'spent'; readonly turn: number; readonly error: ErrorReport }
  /** The model has said its last word, unless there is mail. */
  | { readonly kind: 'finish'; readonly turn: number; readonly text: string }
  | { readonly kind: 'over'; readonly state: EndState };

export interface RunState {
  readonly next: Next;
  /** How often the present turn was asked and lost in a row. */
  readonly losses: number;
  readonly usage: { readonly tokens: number; readonly cost: number; readonly toolCalls: number };
}

const first: RunState = {
  next: { kind: 'begin' },
  losses: 0,
  usage: { tokens: 0, cost: 0, toolCalls: 0 },
};

export function foldSteps(steps: readonly JournalStep[]): RunState {
  return steps.reduce((state, { step }) => after(state, step), first);
}

export function after(state: RunState, step: Step): RunState {
  return {
    next: nextAfter(state.next, step),
    losses: lossesAfter(state.losses, step),
    usage: usageAfter(state.usage, step),
  };
}

function nextAfter(next: Next, step: Step): Next {
  switch (step.kind) {
    case 'begun':
      return { kind: 'ask', turn: 1 };
    case 'asked':
      return { kind: 'asked', turn: step.turn, hold: step.hold };
    case 'lost':
      return { kind: 'ask', turn: step.turn };
    case 'answered':
      return afterAnswer(step);
    case 'results':
      return { kind: 'ask', turn: step.turn + 1 };
    case 'mail':
    case 'note':
      // Something was said to the model after its last word, so it has another.
      return next.kind === 'finish' ? { kind: 'ask', turn: next.turn + 1 } : next;
    case 'remembered':
    case 'summary':
    case 'checkpoint':
      return next;
    case 'ended':
      return { kind: 'over', state: step.state };
  }
}

function afterAnswer({ turn, parts, spent }: Extract<Step, { kind: 'answered' }>): Next {
  if (spent !== undefined) return { kind: 'spent', turn, error: spent };
  const calls = parts.filter((part) => part.kind === 'tool-call');
  if (calls.length > 0) return { kind: 'call', turn, calls };
  return { kind: 'finish', turn, text: textOf(parts) };
}

/** What an answer says, without what it thought and called. */
export function textOf(parts: readonly AnswerPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

function lossesAfter(losses: number, step: Step): number {
  // That a daemon ends is no fault of the run.
  if (step.kind === 'lost') return step.cause === 'model' ? losses + 1 : losses;
  return step.kind === 'answered' ? 0 : losses;
}

function usageAfter(usage: RunState['usage'], step: Step): RunState['usage'] {
  if (step.kind === 'results') {
    return { ...usage, toolCalls: usage.toolCalls + step.results.length };
  }
  if (step.kind === 'answered') {
    const { input_tokens, output_tokens } = step.usage;
    return {
      ...usage,
      tokens: usage.tokens + input_tokens + output_tokens,
      cost: usage.cost + (step.cost ?? 0),
    };
  }
  return usage;
}
