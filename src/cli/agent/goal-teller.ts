/**
 * Tells on stderr what an agent does for a goal: words as they come, a line for each call of
 * a tool. What is written is kept track of, so that nothing stands in the middle of words.
 */
import type { Client } from '../../gateway/client/client.ts';
import type { WireCall, WireGoal } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import type { Step } from '../../kernel/journal/step.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { modelWords } from '../core/names.ts';
import { paint, type Terminal } from '../core/report.ts';
import { counted } from '../core/words.ts';
import {
  awaitedCall,
  type CallPart,
  callsOf,
  callWords,
  howToGoOn,
  shortened,
  stepOf,
  textOf,
} from './goal-words.ts';

/** What comes while a goal is worked on. */
export type GoalUpdate = Exclude<
  Awaited<ReturnType<ReturnType<Client['followGoal']>['next']>>['value'],
  void
>;

export interface TellerOptions {
  readonly terminal: Pick<Terminal, 'err' | 'colorErr'>;
  readonly client: Pick<Client, 'approvals' | 'calls'>;
  readonly agent: string;
}

const longestFailure = 200;
const indent = '    ';

export class GoalTeller {
  readonly #options: TellerOptions;
  #isMidLine = false;
  /** Words of the answer that is coming were shown. */
  #hasStreamed = false;
  /** The first half of a character whose other half has not come yet. */
  #half = '';
  readonly #calls = new Map<string, CallPart>();
  /** The call whose line waits for its end. */
  #openCall: string | undefined;
  /** The call and the stream whose line has not ended yet. */
  #openOutput: string | undefined;
  #lastState = '';

  constructor(options: TellerOptions) {
    this.#options = options;
  }

  async take(update: GoalUpdate, signal: AbortSignal): Promise<void> {
    switch (update.kind) {
      case 'delta':
        if (update.delta.kind === 'text') this.#words(update.delta.text);
        return;
      case 'step':
        return this.#step(stepOf(update.step), signal);
      case 'output':
        return this.#output(update);
      case 'dropped':
        return this.#line(this.#dim(`    … not all that ${update.tool} shows from here on`));
      case 'state':
        return this.#state(update, signal);
      case 'end':
    }
  }

  /** What follows begins on a line of its own. */
  endLine(): void {
    if (this.#isMidLine) this.#options.terminal.err('\n');
    this.#isMidLine = false;
    this.#openCall = undefined;
    this.#openOutput = undefined;
  }

  #line(text: string): void {
    this.endLine();
    this.#options.terminal.err(`${text}\n`);
  }

  #words(text: string): void {
    const whole = this.#half + text;
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
    const shown = printable(whole.slice(0, whole.length - this.#half.length));
    if (shown === '') return;
    if (!this.#hasStreamed) this.endLine();
    this.#hasStreamed = true;
    this.#dimLines(shown);
  }

  /** What a tool shows, indented below the line of its call. */
  #output({ call, stream, text }: Extract<GoalUpdate, { kind: 'output' }>): void {
    const from = `${stream} ${call}`;
    if (this.#openOutput !== from) this.endLine();
    const start = this.#openOutput === from ? '' : indent;
    this.#dimLines(start + printable(text).replaceAll(/\n(?=.)/gs, `\n${indent}`));
    this.#openOutput = this.#isMidLine ? from : undefined;
  }

  #dimLines(safe: string): void {
    // Painted by hand: its line ends stay.
    const { terminal } = this.#options;
    terminal.err(terminal.colorErr ? `\u001b[2m${safe}\u001b[0m` : safe);
    this.#isMidLine = !safe.endsWith('\n');
  }

  async #step(step: Step, signal: AbortSignal): Promise<void> {
    switch (step.kind) {
      case 'begun':
        return this.#line(oneLine(`model ${modelWords(step.model)}`));
      case 'mail': {
        const senders = [...new Set(step.messages.map(({ from }) => from))].join(', ');
        return this.#line(
          oneLine(`read ${counted(step.messages.length, 'message')} of ${senders}`),
        );
      }
      case 'asked':
        this.#hasStreamed = false;
        this.#half = '';
        return;
      case 'answered':
        return this.#answered(step);
      case 'lost':
        return this.#line(`the answer was lost: ${shortened(step.why, longestFailure)}`);
      case 'results':
        return this.#results(step, signal);
      case 'note':
        return this.#line(this.#dim(`note: ${shortened(step.text, longestFailure)}`));
      case 'summary':
        return this.#line(this.#dim('what was said before was summarised'));
    }
  }

  #answered({ parts, spent }: Extract<Step, { kind: 'answered' }>): void {
    // A watcher that comes late, or was cut off, has not seen its words.
    if (!this.#hasStreamed) this.#words(textOf(parts));
    this.#hasStreamed = false;
    this.endLine();
    const calls = callsOf(parts);
    for (const call of calls) this.#calls.set(call.id, call);
    if (spent !== undefined) {
      this.#line(oneLine(spent.message));
      return;
    }
    const [only, another] = calls;
    if (only === undefined || another !== undefined) return;
    this.#options.terminal.err(`  ${callWords(only)}`);
    this.#isMidLine = true;
    this.#openCall = only.id;
  }

  async #results({ results }: Extract<Step, { kind: 'results' }>, signal: AbortSignal) {
    const timeOf = await this.#times(signal);
    for (const { id, tool, text, is_error, call_id } of results) {
      const tookMs = timeOf(call_id);
      const took = tookMs === undefined ? '' : `, ${printAmount('wall', tookMs)}`;
      const end = is_error
        ? `${this.#tone('bad', 'failed')}${took}: ${shortened(text, longestFailure)}`
        : `${this.#tone('good', 'ok')}${took}`;
      if (this.#openCall === id) {
        this.#options.terminal.err(`  ${end}\n`);
        this.#isMidLine = false;
        this.#openCall = undefined;
      } else {
        const call = this.#calls.get(id) ?? { tool, args: undefined };
        this.#line(`  ${callWords(call).trim()}  ${end}`);
      }
    }
    this.#calls.clear();
  }

  /** How long each call took; nothing where that cannot be told. */
  async #times(signal: AbortSignal): Promise<(callId: string) => number | undefined> {
    const { client, agent } = this.#options;
    try {
      const { items } = await client.calls({ agent, limit: '100' }, { signal });
      const known = new Map(items.map((call) => [call.call_id, durationOf(call)]));
      return (callId) => known.get(callId);
    } catch {
      signal.throwIfAborted();
      // A daemon that is being started again; that it was done is what matters.
      return () => undefined;
    }
  }

  async #state(
    { state, waits_for }: Pick<WireGoal, 'state' | 'waits_for'>,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${state} ${waits_for ?? ''}`;
    if (key === this.#lastState) return;
    this.#lastState = key;
    const { agent } = this.#options;
    if (state === 'paused') this.#line(`paused; to go on: aos resume ${agent}`);
    if (state !== 'waiting') return;
    const callId = awaitedCall({ state, waits_for });
    if (callId === undefined) return this.#line('waits for messages');
    this.#line(await this.#waitWords(callId, signal));
  }

  async #waitWords(callId: string, signal: AbortSignal): Promise<string> {
    try {
      const { what, command } = await howToGoOn(this.#options.client, callId, signal);
      return this.#tone('warn', `${what}: ${command}`);
    } catch {
      signal.throwIfAborted();
      // A daemon that is being started again; where to look is known without it.
      return this.#tone('warn', `waits for a human: aos approvals, aos tool calls ${callId}`);
    }
  }

  #dim(text: string): string {
    return this.#tone('dim', text);
  }

  #tone(tone: Parameters<typeof paint>[1], text: string): string {
    return paint(this.#options.terminal.colorErr, tone, text);
  }
}

function durationOf({ started_at, ended_at }: Pick<WireCall, 'started_at' | 'ended_at'>) {
  if (started_at === null || ended_at === null) return undefined;
  return Math.max(0, Date.parse(ended_at) - Date.parse(started_at));
}
