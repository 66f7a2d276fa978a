/** Does a run get anywhere? A model that repeats itself spends money and does nothing. */
import type { AnswerPart } from '../agent/model.ts';
import type { JournalStep, ShownResult } from './step.ts';

export type ProgressVerdict =
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
