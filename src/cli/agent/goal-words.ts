/** Goals as a person reads them. */

import type { Client } from '../../gateway/client/client.ts';
import type { WireBudget, WireGoalSummary, WireStep } from '../../gateway/contract/contract.ts';
import { printAmount, resources } from '../../kernel/agent/budget.ts';
import type { AnswerPart } from '../../kernel/agent/model.ts';
import type { RememberedItem, ShownResult, Step } from '../../kernel/journal/step.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable, safeJson } from '../../kernel/text/quote.ts';
import { type IdKind, modelWords } from '../core/names.ts';
import { counted, durationWords, table } from '../core/words.ts';

export const goalIds: IdKind = { what: 'goal', shownBy: 'aos queue --all' };

/** The beginning of a text, on one line. */
export function shortened(text: string, most: number): string {
  // A goal may be long, and only its beginning is looked at.
  const flat = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (flat.length <= most && text.length <= most * 4) return oneLine(flat);
  // Not through the middle of a character.
  return `${oneLine(flat.slice(0, most - 1).replace(/[\ud800-\udbff]$/, ''))}…`;
}

export function agoWords(at: string, now: Instant): string {
  return `${durationWords(Math.max(0, now - Date.parse(at)))} ago`;
}

/** `1234 tokens, $0.05`. */
export function spentWords({ tokens, cost }: WireBudget): string {
  const noun = tokens.used === 1 ? 'token' : 'tokens';
  return `${printAmount('tokens', tokens.used)} ${noun}, ${printAmount('cost', cost.used)}`;
}

export function budgetText(budget: WireBudget): string {
  const rows = resources.map((resource) => {
    const { used, held, limit } = budget[resource];
    const words = [used, held].map((amount) => printAmount(resource, amount));
    return [
      `  ${resource.replaceAll('_', ' ')}`,
      ...words,
      limit === null ? 'none' : printAmount(resource, limit),
    ];
  });
  return table([['  budget', 'used', 'held', 'limit'], ...rows]);
}

/** `waiting for mail`, `queued, due in 5 min`. */
export function stateWords(
  { state, waits_for, due_at }: Pick<WireGoalSummary, 'state' | 'waits_for' | 'due_at'>,
  now: Instant,
): string {
  if (state === 'waiting' && waits_for !== null)
    return `waiting for ${oneLine(waits_for.replace(/^call:(.{0,16}).*$/s, 'call $1'))}`;
  const dueInMs = Date.parse(due_at) - now;
  return state === 'queued' && dueInMs >= 1000 ? `queued, due in ${durationWords(dueInMs)}` : state;
}

export function isOver({ state }: Pick<WireGoalSummary, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

const longestGoal = 60;

/** A line each, for a table. */
export function goalRow(goal: WireGoalSummary, shortOf: (id: string) => string, now: Instant) {
  return [
    shortOf(goal.id),
    goal.agent,
    stateWords(goal, now),
    `priority ${goal.priority}`,
    agoWords(goal.created_at, now),
    shortened(goal.error?.message ?? goal.goal, longestGoal),
  ];
}

export type CallPart = Extract<AnswerPart, { readonly kind: 'tool-call' }>;

/** The versions were compared, as for every answer: the daemon's steps are ours. */
export function stepOf({ step }: WireStep): Step {
  return step as unknown as Step;
}

const longestArguments = 80;
const longestText = 100;

/** `file.read {"path":"/etc/hosts"}` */
export function callWords({ tool, args }: Pick<CallPart, 'tool' | 'args'>): string {
  return `${oneLine(tool)} ${shortened(JSON.stringify(args) ?? '', longestArguments)}`;
}

export function callsOf(parts: readonly AnswerPart[]): readonly CallPart[] {
  return parts.filter((part) => part.kind === 'tool-call');
}

export function textOf(parts: readonly AnswerPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

/** A table: a line for a step of the agent, and one for each of its calls. */
export function stepsTable(steps: readonly WireStep[], agent: string): string {
  const asked = new Map<string, CallPart>();
  const rows = steps.flatMap((wire) => {
    const step = stepOf(wire);
    if (step.kind === 'answered') for (const call of callsOf(step.parts)) asked.set(call.id, call);
    return linesOf(step, { agent, asked }).map((line, place) =>
      place === 0 ? [`  ${wire.seq}`, oneLine(wire.kind), line] : ['', '', line],
    );
  });
  return table(rows);
}

interface StepContext {
  readonly agent: string;
  readonly asked: ReadonlyMap<string, CallPart>;
}

function linesOf(step: Step, { agent, asked }: StepContext): readonly string[] {
  switch (step.kind) {
    case 'begun':
      return [`${shortened(step.because, longestText)}; ${oneLine(modelWords(step.model))}`];
    case 'remembered':
      return step.items.map((item) => rememberedLine(item, agent));
    case 'mail':
      return step.messages.map(
        ({ from, text }) => `from ${oneLine(from)}: ${shortened(text, longestText)}`,
      );
    case 'asked':
      return [`${oneLine(step.model)}, for at most ${counted(step.hold.tokens, 'token')}`];
    case 'answered':
      return [answerLine(step), ...callsOf(step.parts).map((call) => `calls ${callWords(call)}`)];
    case 'lost':
      return [shortened(step.why, longestText)];
    case 'results':
      return step.results.map((result) => resultLine(result, asked.get(result.id)));
    case 'note':
    case 'summary':
      return [shortened(step.text, longestText)];
    case 'checkpoint':
      return [shortened(step.why, longestText)];
    case 'ended':
      return [`${step.state}: ${shortened(step.text, longestText)}`];
    default:
      // Of a later version, or damaged: shown, and not hidden.
      return [shortened(JSON.stringify(step) ?? '', longestText)];
  }
}

/** `roof (fits, long-term of jean): It is red.`; its own needs no name. */
function rememberedLine({ owner, scope, key, why, text }: RememberedItem, agent: string): string {
  const of = scope === 'shared' ? '' : ` of ${owner.replace(/^agent:/, '')}`;
  const whose = owner === `agent:${agent}` ? '' : oneLine(`, ${scope}${of}`);
  return `${oneLine(key)} (${why}${whose}): ${shortened(text, longestText)}`;
}

type Answered = Extract<Step, { readonly kind: 'answered' }>;

function answerLine({ parts, usage, cost, spent, finish }: Answered): string {
  const said = shortened(textOf(parts), longestText);
  const facts = [
    counted(usage.input_tokens + usage.output_tokens, 'token'),
    cost === null ? 'price unknown' : printAmount('cost', cost),
    ...(finish === 'stop' || finish === 'tool-calls' ? [] : [`finish: ${oneLine(finish)}`]),
    ...(spent === undefined ? [] : [oneLine(spent.message)]),
  ];
  return `${said === '' ? '' : `${said}  `}(${facts.join(', ')})`;
}

function resultLine({ tool, text, is_error }: ShownResult, call: CallPart | undefined): string {
  const words = callWords(call ?? { tool, args: undefined }).trim();
  return `${words} ${is_error ? 'failed' : 'ok'}: ${shortened(text, longestText)}`;
}

/** All of a step: a head, and what it says below it. */
export function wholeStep(wire: WireStep, agent: string): string {
  const step = stepOf(wire);
  const head = `step ${wire.seq}  ${wire.at}  ${oneLine(wire.kind)}`;
  const body = wholeTexts(step, agent).join('\n').split('\n');
  return [head, ...body.map((line) => `  ${line}`)].join('\n');
}

function wholeTexts(step: Step, agent: string): readonly string[] {
  switch (step.kind) {
    case 'begun':
      return [
        oneLine(`because: ${step.because}`),
        oneLine(`model: ${modelWords(step.model)}`),
        ...(step.forked_from === undefined
          ? []
          : [oneLine(`fork of ${step.forked_from.operation}, step ${step.forked_from.step}`)]),
        `instructions: ${printable(step.instructions)}`,
        `goal: ${printable(step.goal)}`,
      ];
    case 'mail':
      return step.messages.map(
        ({ id, from, kind, text }) =>
          `${oneLine(`from ${from}, ${kind}, ${id}`)}\n${printable(text)}`,
      );
    case 'answered':
      return [...step.parts.map(wholePart), answerLine({ ...step, parts: [] })];
    case 'results':
      return step.results.map(
        ({ tool, text, is_error, call_id }) =>
          `${oneLine(`${tool} ${is_error ? 'failed' : 'ok'}, call ${call_id || 'none'}`)}\n${printable(text)}`,
      );
    case 'note':
      return [`${oneLine(step.code)}: ${printable(step.text)}`];
    case 'summary':
      return [`of all up to step ${step.up_to}:\n${printable(step.text)}`];
    case 'ended':
      return [`${step.state}\n${printable(step.text)}`];
    default:
      return linesOf(step, { agent, asked: new Map() });
  }
}

function wholePart(part: AnswerPart): string {
  if (part.kind === 'tool-call') return `calls ${oneLine(part.tool)} ${safeJson(part.args)}`;
  return part.kind === 'reasoning' ? `(thinks) ${printable(part.text)}` : printable(part.text);
}

/** The call that a goal waits for; undefined when it waits for something else, or not. */
export function awaitedCall({
  state,
  waits_for,
}: Pick<WireGoalSummary, 'state' | 'waits_for'>): string | undefined {
  if (state !== 'waiting') return undefined;
  return /^call:([0-9a-f]{32})$/.exec(waits_for ?? '')?.[1];
}

/** What a human is to do so that a goal goes on that waits for this call. */
export async function howToGoOn(
  client: Pick<Client, 'approvals'>,
  callId: string,
  signal: AbortSignal,
): Promise<{ readonly what: string; readonly command: string }> {
  const { items } = await client.approvals({ limit: '1000' }, { signal });
  const approval = items.find(({ call_id }) => call_id === callId);
  if (approval !== undefined) {
    const what = `${approval.tool} waits until a human approves it`;
    return { what, command: `aos approvals approve ${approval.id}` };
  }
  // Cut off, and perhaps done: only a look at what it was to change can tell.
  return {
    what: `call ${callId} was cut off, and nobody knows whether it had its effect`,
    command: `aos resolve ${callId} done|redo|fail`,
  };
}
