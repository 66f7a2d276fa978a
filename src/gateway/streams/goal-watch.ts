/** What happens to a goal while it is written to a reader: in order, and not without end. */

import type { Delta } from '../../kernel/agent/model.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { Followers, RunEvent } from '../../runtime/followers.ts';

export type SeenGoal =
  /** There are steps up to this one. */
  | { readonly kind: 'step'; readonly seq: number }
  /** `after` is the step behind which it came. */
  | ({ readonly after: number } & Passing)
  /** Something may have changed. */
  | { readonly kind: 'look' };

/** What is seen as it comes, and is in no step until later. */
type Passing = Extract<RunEvent, { kind: 'delta' | 'output' | 'dropped' }>;

const mostItems = 10_000;
const mostCharacters = 1024 * 1024;

export class GoalWatch implements Disposable {
  readonly #clock: Clock;
  readonly #following: Disposable | undefined;
  #items: SeenGoal[] = [];
  #characters = 0;
  #lastStep = 0;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, followers: Followers | undefined, operation: string) {
    this.#clock = clock;
    this.#following = followers?.follow(operation, (event) => this.#see(event));
  }

  /** More has come than is kept for one who does not take it. */
  get isOverfull(): boolean {
    return this.#items.length > mostItems || this.#characters > mostCharacters;
  }

  /** What came before this is in the journal, or belongs to an answer that is only half seen. */
  beginBehind(step: number): void {
    this.#items = [];
    this.#characters = 0;
    this.#lastStep = Math.max(this.#lastStep, step);
  }

  /** The next thing; a look when nothing has come for so long, or the signal aborts. */
  async next(timeoutMs: number, signal: AbortSignal): Promise<SeenGoal> {
    if (this.#items.length === 0) await this.#wait(timeoutMs, signal);
    const item = this.#items.shift() ?? { kind: 'look' };
    if (isPassing(item)) this.#characters -= sizeOf(item);
    return item;
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]();
  }

  #see(event: RunEvent): void {
    if (this.isOverfull) return;
    if (isPassing(event)) this.#add(event);
    else if (event.kind === 'step') {
      this.#lastStep = Math.max(this.#lastStep, event.step.seq);
      this.#items.push({ kind: 'step', seq: event.step.seq });
    } else this.#items.push({ kind: 'look' });
    this.#wake?.();
  }

  /** Words that come faster than they are written go out together. */
  #add(event: Passing): void {
    const after = this.#lastStep;
    const last = this.#items.at(-1);
    this.#characters += sizeOf(event);
    const both =
      last !== undefined && isPassing(last) && last.after === after
        ? joined(last, event)
        : undefined;
    if (both === undefined) this.#items.push({ ...event, after });
    else this.#items[this.#items.length - 1] = { ...both, after };
  }

  async #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort(early);
    try {
      await this.#clock.sleep(timeoutMs, AbortSignal.any([woken.signal, signal]));
    } catch {
      // Woken, or no longer waited for.
    } finally {
      this.#wake = undefined;
    }
  }
}

function isPassing<T extends { readonly kind: string }>(
  seen: T,
): seen is Extract<T, { kind: Passing['kind'] }> {
  return seen.kind === 'delta' || seen.kind === 'output' || seen.kind === 'dropped';
}

function sizeOf(event: Passing): number {
  if (event.kind !== 'delta') return event.kind === 'output' ? event.text.length : 0;
  const { delta } = event;
  return delta.kind === 'tool-call' ? delta.tool.length : delta.text.length;
}

/** Undefined for two that have to stay apart. */
function joined(one: Passing, other: Passing): Passing | undefined {
  if (one.kind === 'delta' && other.kind === 'delta') {
    const delta = joinedWords(one.delta, other.delta);
    return delta && { kind: 'delta', delta };
  }
  if (one.kind !== 'output' || other.kind !== 'output') return undefined;
  const isLike = one.call === other.call && one.stream === other.stream;
  return isLike ? { ...one, text: one.text + other.text } : undefined;
}

function joinedWords(one: Delta, other: Delta): Delta | undefined {
  if (one.kind === 'tool-call' || other.kind === 'tool-call') return undefined;
  return one.kind === other.kind ? { kind: one.kind, text: one.text + other.text } : undefined;
}
