/**
 * Making room: when a run no longer fits into the model's window, what lies further back
 * becomes a summary, which is a step of its own. The summary is made by rules, not by the
 * model: it costs nothing, cannot fail, and is the same whenever it is made.
 */
import type { ModelMessage, OfferedTool } from '../agent/model.ts';
import { conversationOf } from './conversation.ts';
import { estimateMessage, estimatePrompt } from './estimate.ts';
import type { JournalStep, Step } from './step.ts';

export interface Window {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: readonly OfferedTool[];
}

export interface Packed {
  readonly messages: readonly ModelMessage[];
  readonly promptTokens: number;
  /** To be written down before this prompt is used; undefined where everything fits. */
  readonly summary: Extract<Step, { kind: 'summary' }> | undefined;
}

/** What is kept as it was, of the room that a prompt has. */
const keptShare = 0.4;
const charactersPerToken = 3;

export function pack(steps: readonly JournalStep[], window: Window): Packed {
  const room = Math.max(1000, window.contextTokens - window.maxOutputTokens);
  const limits = { resultCharacters: Math.floor((room * charactersPerToken) / 4) };
  const messages = conversationOf(steps, limits);
  const promptTokens = estimatePrompt(messages, window.tools);
  if (promptTokens <= room) return { messages, promptTokens, summary: undefined };
  const summary = summarise(steps, { room, limits });
  if (summary === undefined) return { messages, promptTokens, summary };
  const lastSeq = steps.at(-1)?.seq ?? 0;
  const shorter = conversationOf([...steps, { seq: lastSeq + 1, at: 0, step: summary }], limits);
  return { messages: shorter, promptTokens: estimatePrompt(shorter, window.tools), summary };
}

interface Room {
  readonly room: number;
  readonly limits: { readonly resultCharacters: number };
}

/** Cut where a turn begins, so that no result is left without its call. */
function summarise(steps: readonly JournalStep[], { room, limits }: Room) {
  const before = steps.findLast(({ step }) => step.kind === 'summary')?.step;
  const from = before?.kind === 'summary' ? before.up_to : 0;
  let kept = 0;
  let cutAt: number | undefined;
  for (const { seq, step } of steps.toReversed()) {
    if (seq <= from) break;
    const [message] = conversationOf([...begunOf(steps), { seq, at: 0, step }], limits).slice(2);
    kept += message === undefined ? 0 : estimateMessage(message);
    if (step.kind === 'answered' && kept <= room * keptShare) cutAt = seq - 1;
  }
  const upTo = cutAt ?? lastResults(steps);
  if (upTo === undefined || upTo <= from) return undefined;
  const text = digestOf(
    steps.filter(({ seq }) => seq <= upTo),
    Math.floor((room * charactersPerToken) / 4),
  );
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { kind: 'summary', up_to: upTo, text, usage } as const;
}

function begunOf(steps: readonly JournalStep[]): readonly JournalStep[] {
  return steps.slice(0, 1);
}

function lastResults(steps: readonly JournalStep[]): number | undefined {
  return steps.findLast(({ step }) => step.kind === 'results')?.seq;
}

const lineCharacters = 200;

/** A line for each thing that happened; the oldest go first where there is no room for all. */
function digestOf(steps: readonly JournalStep[], mostCharacters: number): string {
  const turns = steps.filter(({ step }) => step.kind === 'answered').length;
  const lines = steps.flatMap(({ step }) => linesOf(step));
  let size = 0;
  const kept = lines.toReversed().filter((line) => {
    size += line.length + 1;
    return size <= mostCharacters;
  });
  const left = lines.length - kept.length;
  return [
    `Summary of what happened so far [turns so far: ${turns}]:`,
    ...(left === 0 ? [] : [`(${left} earlier lines are left out)`]),
    ...kept.reverse(),
  ].join('\n');
}

function linesOf(step: Step): readonly string[] {
  switch (step.kind) {
    case 'mail':
      return step.messages.map(({ from, text }) => `- message from ${from}: ${shortened(text)}`);
    case 'answered':
      return step.parts.flatMap((part) => {
        if (part.kind === 'text') return [`- you said: ${shortened(part.text)}`];
        if (part.kind === 'reasoning') return [];
        return [`- you called ${part.tool} with ${shortened(JSON.stringify(part.args) ?? '')}`];
      });
    case 'results':
      return step.results.map(
        ({ tool, text, is_error }) =>
          `- ${tool} ${is_error ? 'failed' : 'returned'}: ${shortened(text)}`,
      );
    case 'note':
      return [`- Agent OS: ${shortened(step.text)}`];
    default:
      return [];
  }
}

function shortened(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return plain.length <= lineCharacters ? plain : `${plain.slice(0, lineCharacters)}…`;
}
