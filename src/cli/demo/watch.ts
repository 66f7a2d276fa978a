/** Waiting for what the team does, and noticing when it does something else. */
import type { WireGoal } from '../../gateway/contract/contract.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import type { Step } from '../../kernel/journal/step.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { type CallPart, callsOf, isOver, shortened, stepOf } from '../agent/goal-words.ts';
import type { Context } from '../core/context.ts';
import { patiently } from '../core/patience.ts';
import { paint } from '../core/report.ts';
import type { Stage } from './stage.ts';

const lookAgainMs = 50;
const patienceMs = 30_000;
const longestReason = 300;

/** A call that an agent has made, and what it was told of it. */
interface MadeCall {
  readonly call: CallPart;
  readonly text: string;
  readonly isError: boolean;
}

export class Watch {
  readonly #stage: Stage;
  readonly #signal: AbortSignal;
  #lead: string | undefined;

  constructor(stage: Stage, signal: AbortSignal) {
    this.#stage = stage;
    this.#signal = signal;
  }

  /** From now on, the end of this goal is the end of all waiting. */
  follow(goal: string): void {
    this.#lead = goal;
  }

  /** The first answer that is one. Throws when the goal ends before, or it takes too long. */
  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const { clock } = this.#stage.engines;
    const deadline = clock.monotonicMs() + patienceMs;
    for (;;) {
      // Before the look: what has happened by the end is there to be found.
      const end = await this.#end();
      const found = await patiently({ clock }, { signal: this.#signal }, look);
      if (found !== undefined) return found;
      if (end !== undefined) throw demoFailed(`${await this.#whyOver(end)}, and ${what}`);
      if (clock.monotonicMs() > deadline) throw demoFailed(`After half a minute ${what}`);
      await clock.sleep(lookAgainMs, this.#signal);
    }
  }

  /** The newest of an agent. */
  async goalOf(agent: string): Promise<string | undefined> {
    const { client } = this.#stage;
    const { items } = await client.goals({ agent, limit: '1' }, { signal: this.#signal });
    return items[0]?.id;
  }

  async steps(goal: string): Promise<readonly Step[]> {
    const { client } = this.#stage;
    const { items } = await client.steps(goal, { limit: 1000 }, { signal: this.#signal });
    return items.map(stepOf);
  }

  /** Those of a tool that are over, as the journal of the goal has them. */
  async calls(goal: string, tool: string): Promise<readonly MadeCall[]> {
    const asked = new Map<string, CallPart>();
    return (await this.steps(goal)).flatMap((step) => {
      if (step.kind === 'answered')
        for (const call of callsOf(step.parts)) asked.set(call.id, call);
      if (step.kind !== 'results') return [];
      return step.results.flatMap(({ id, text, is_error: isError }) => {
        const call = asked.get(id);
        return call?.tool === tool ? [{ call, text, isError }] : [];
      });
    });
  }

  async #end(): Promise<WireGoal | undefined> {
    const id = this.#lead;
    if (id === undefined) return undefined;
    const { client, engines } = this.#stage;
    const signal = this.#signal;
    const goal = await patiently(engines, { signal }, () => client.goal(id, { signal }));
    return isOver(goal) ? goal : undefined;
  }

  async #whyOver({ id, state, result, error }: WireGoal): Promise<string> {
    const failed = (await this.steps(id)).flatMap((step) =>
      step.kind === 'results' ? step.results.filter(({ is_error }) => is_error) : [],
    );
    const why = error?.message ?? failed.at(-1)?.text ?? result ?? '';
    return `The goal of lead ${state === 'completed' ? 'is over' : state}: ${shortened(why, longestReason)}`;
  }
}

export function demoFailed(message: string, cause?: unknown): AosError {
  return new AosError('demo.failed', {
    message,
    fix: 'aos demo --once --keep leaves everything there, to be looked at',
    cause,
  });
}

/** Whatever went wrong on the way is a demo that failed, except being stopped. */
export function asDemoFailure(failure: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (failure instanceof AosError && failure.code === 'demo.failed') return failure;
  const { code, message } = toReport(failure);
  return code === 'internal.bug' ? failure : demoFailed(message, failure);
}

const indent = '   ';
const widest = 80;

export class Narrator {
  readonly #context: Pick<Context, 'words' | 'stream' | 'terminal'>;
  readonly #json: boolean;
  #scenes = 0;

  constructor(context: Pick<Context, 'words' | 'stream' | 'terminal'>, json: boolean) {
    this.#context = context;
    this.#json = json;
  }

  scene(title: string): void {
    this.#scenes++;
    const { words, terminal } = this.#context;
    words(`\n${paint(terminal.colorOut, 'strong', `${this.#scenes}. ${title}`)}`);
  }

  say(text: string): void {
    for (const line of wrapped(text, this.#width - indent.length)) this.#line(line);
  }

  /** As it is, whatever its width: tables and paths. */
  rows(lines: readonly string[]): void {
    for (const line of lines) this.#line(`  ${line}`);
  }

  /** The words of an agent, set apart from what is said about them. */
  quoted(text: string): void {
    const room = this.#width - indent.length - 2;
    for (const line of text.replace(/\n$/, '').split('\n')) {
      for (const piece of cutInto(oneLine(line), room)) this.#line(`> ${piece}`);
    }
  }

  good(text: string): void {
    const { words, terminal } = this.#context;
    words(`${indent}${paint(terminal.colorOut, 'good', text)}`);
  }

  /** Commands that show the same to the person who types them. */
  typed(...commands: readonly string[]): void {
    const { words, terminal } = this.#context;
    for (const command of commands) {
      words(`${indent}${paint(terminal.colorOut, 'dim', `$ ${command}`)}`);
    }
  }

  /** For a program: what the scene was about. */
  done(scene: string, facts: object): void {
    if (this.#json) this.#context.stream({ data: { scene, ...facts }, text: '' });
  }

  get #width(): number {
    return Math.min(this.#context.terminal.columns, widest);
  }

  #line(text: string): void {
    this.#context.words(`${indent}${oneLine(text)}`.trimEnd());
  }
}

/** At blanks; a word that is longer than a line stays whole, so that it can be copied. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function cutInto(text: string, width: number): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += width) pieces.push(text.slice(from, from + width));
  return pieces.length === 0 ? [''] : pieces;
}
