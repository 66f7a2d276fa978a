/**
 * The journal of an operation: one row a step, in the order in which it happened. The state
 * of a run is the fold of its steps, so resuming is folding again.
 *
 * S1. A step is never changed. What it says is our own shape under `version`, so that a
 *     vendor's change never touches what is stored; golden journals of each version are kept
 *     and folded by a test.
 * S2. Between `asked` and `answered` the model was called, and its end is not known: a run that
 *     finds `asked` last writes `lost`, which counts as spent what was held.
 * S3. Calls of tools are rows of their own, under the key of (operation, turn, place), so
 *     that no call is made twice; `results` says what the model was told of them.
 */

import type { AnswerPart, FinishReason } from '../agent/model.ts';
import type { ErrorReport } from '../errors.ts';

export const stepVersion = 1;

export interface MailIn {
  readonly id: string;
  readonly from: string;
  readonly kind: string;
  readonly thread?: string | undefined;
  readonly re?: string | undefined;
  readonly text: string;
}

/** A memory as a model is told of it. */
export interface RememberedItem {
  readonly id: number;
  readonly owner: string;
  readonly scope: string;
  readonly key: string;
  readonly version: number;
  readonly why: 'pinned' | 'fits';
  /** Perhaps cut. */
  readonly text: string;
}

/** What was held for one model call. */
export interface Hold {
  readonly tokens: number;
  readonly cost: number;
}

export type Step =
  | {
      readonly kind: 'begun';
      readonly goal: string;
      /** Which agent took it, and why. */
      readonly because: string;
      readonly instructions: string;
      readonly model: string;
      readonly is_scripted: boolean;
      /** The operation that it was forked from, and at which of its steps. */
      readonly forked_from?: { readonly operation: string; readonly step: number } | undefined;
    }
  /** What was told of memories, before anything else. */
  | { readonly kind: 'remembered'; readonly items: readonly RememberedItem[] }
  | { readonly kind: 'mail'; readonly messages: readonly MailIn[] }
  | { readonly kind: 'asked'; readonly turn: number; readonly model: string; readonly hold: Hold }
  | {
      readonly kind: 'answered';
      readonly turn: number;
      readonly parts: readonly AnswerPart[];
      readonly finish: FinishReason;
      readonly usage: StoredUsage;
      /** In millionths of a dollar; null where the price is not known. */
      readonly cost: number | null;
      /** Why its calls are not made: a budget does not cover them. */
      readonly spent?: ErrorReport | undefined;
    }
  | {
      readonly kind: 'lost';
      readonly turn: number;
      /** Whose fault it was: the daemon ended, or the model's answer did. */
      readonly cause: 'daemon' | 'model';
      readonly why: string;
    }
  | { readonly kind: 'results'; readonly turn: number; readonly results: readonly ShownResult[] }
  /** Said to the model and to a reader of the journal: a warning of the runtime. */
  | { readonly kind: 'note'; readonly code: string; readonly text: string }
  /** What was said before and including step `up_to` is this, from here on. */
  | {
      readonly kind: 'summary';
      readonly up_to: number;
      readonly text: string;
      readonly usage: StoredUsage;
    }
  | { readonly kind: 'checkpoint'; readonly why: string }
  | { readonly kind: 'ended'; readonly state: EndState; readonly text: string };

/** What a call took, in tokens. */
export interface StoredUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

type EndState = 'completed' | 'failed' | 'cancelled';

/** What the model was told of a call. */
export interface ShownResult {
  /** As the model named the call. */
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly is_error: boolean;
  /** Of the call in the journal of tools; empty where none was made. */
  readonly call_id: string;
}

export interface JournalStep {
  readonly seq: number;
  readonly at: number;
  readonly step: Step;
}

/** Unique for each call of each turn; the same whenever the turn is run again. */
export function callKey(operation: string, turn: number, place: number): string {
  return `run:${operation}/${turn}/${place}`;
}

/** The operation for which a call was made; undefined for a call that belongs to no run. */
export function operationOfKey(key: string): string | undefined {
  return isRunKey(key) ? key.slice('run:'.length, key.indexOf('/')) : undefined;
}

/** Whether a run waits for the call, so that its agent need not be told by a message. */
export function isRunKey(key: string): boolean {
  return /^run:[0-9a-f]{32}\/\d+\/\d+$/.test(key);
}

// Where a run stands, from the steps that it has taken. Resuming is asking this again.

export type ToolCallPart = Extract<AnswerPart, { kind: 'tool-call' }>;

/** What comes next. */
type Next =
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
function textOf(parts: readonly AnswerPart[]): string {
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

// Does a run get anywhere? A model that repeats itself spends money and does nothing.

type ProgressVerdict =
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'stop'; readonly text: string };

const sameCalls = { warn: 3, stop: 6 };
const failedTurns = { warn: 5, stop: 10 };
const emptyTurns = { stop: 3 };
const stepsLookedAt = 10 * failedTurns.stop;

/** Undefined while there is nothing to say, and where it was said already. */
export function judgeProgress(all: readonly JournalStep[]): ProgressVerdict | undefined {
  // Further back nothing counts: three steps a turn, and some room for mail.
  const steps = all.slice(-stepsLookedAt);
  return judgeRepeats(steps) ?? judgeFailures(steps) ?? judgeEmpty(steps);
}

function judgeRepeats(steps: readonly JournalStep[]): ProgressVerdict | undefined {
  const calls = callsOf(steps);
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const times = countFromEnd(calls, (call) => call.what === last.what);
  const words = `${last.tool} was called ${times} times in a row with the same arguments, and gave the same result`;
  if (times >= sameCalls.stop) return { kind: 'stop', text: words };
  if (times !== sameCalls.warn) return undefined;
  return { kind: 'warn', text: `${words}. Do something else, or say that it cannot be done.` };
}

interface MadeCall {
  readonly tool: string;
  readonly what: string;
}

function callsOf(steps: readonly JournalStep[]): readonly MadeCall[] {
  const calls: MadeCall[] = [];
  let args = new Map<string, string>();
  for (const { step } of steps) {
    if (step.kind === 'answered') {
      args = new Map(
        step.parts.flatMap((part) =>
          part.kind === 'tool-call' ? [[part.id, JSON.stringify(part.args) ?? '']] : [],
        ),
      );
    } else if (step.kind === 'results') {
      for (const { id, tool, text } of step.results) {
        calls.push({ tool, what: JSON.stringify([tool, args.get(id), text]) });
      }
    }
  }
  return calls;
}

function judgeFailures(steps: readonly JournalStep[]): ProgressVerdict | undefined {
  const turns = steps.flatMap(({ step }) => (step.kind === 'results' ? [step.results] : []));
  const times = countFromEnd(turns, (results) => results.every((one: ShownResult) => one.is_error));
  const words = `Every tool call of the last ${times} turns failed`;
  if (times >= failedTurns.stop) return { kind: 'stop', text: words };
  if (times !== failedTurns.warn) return undefined;
  return { kind: 'warn', text: `${words}. Read the errors, and do what they say.` };
}

function judgeEmpty(steps: readonly JournalStep[]): ProgressVerdict | undefined {
  const answers = steps.flatMap(({ step }) => (step.kind === 'answered' ? [step.parts] : []));
  const times = countFromEnd(answers, (parts) =>
    parts.every((part) => part.kind === 'reasoning' || isEmptyText(part)),
  );
  if (times < emptyTurns.stop) return undefined;
  return { kind: 'stop', text: `The model answered nothing, ${times} times in a row` };
}

function isEmptyText(part: AnswerPart): boolean {
  return part.kind === 'text' && part.text.trim() === '';
}

function countFromEnd<T>(items: readonly T[], is: (item: T) => boolean): number {
  const other = items.findLastIndex((item) => !is(item));
  return items.length - 1 - other;
}
