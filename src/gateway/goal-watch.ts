/** What happens to a goal while somebody writes it to a reader: in order, and not without end. */
import { early } from '../kernel/early.ts';
import type { Delta } from '../kernel/model.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Followers, Sight } from '../runtime/followers.ts';

export type Seen =
  /** There are steps up to this one. */
  | { readonly kind: 'step'; readonly seq: number }
  /** `after` is the step behind which it came. */
  | { readonly kind: 'delta'; readonly delta: Delta; readonly after: number }
  /** Something may have changed. */
  | { readonly kind: 'look' };

const mostItems = 10_000;
const mostCharacters = 1024 * 1024;

export class GoalWatch implements Disposable {
  readonly #clock: Clock;
  readonly #following: Disposable | undefined;
  #items: Seen[] = [];
  #characters = 0;
  #lastStep = 0;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, followers: Followers | undefined, operation: string) {
    this.#clock = clock;
    this.#following = followers?.follow(operation, (sight) => this.#see(sight));
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
  async next(timeoutMs: number, signal: AbortSignal): Promise<Seen> {
    if (this.#items.length === 0) await this.#wait(timeoutMs, signal);
    const item = this.#items.shift() ?? { kind: 'look' };
    if (item.kind === 'delta') this.#characters -= sizeOf(item.delta);
    return item;
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]();
  }

  #see(sight: Sight): void {
    if (this.isOverfull) return;
    if (sight.kind === 'delta') this.#addDelta(sight.delta);
    else if (sight.kind === 'step') {
      this.#lastStep = Math.max(this.#lastStep, sight.step.seq);
      this.#items.push({ kind: 'step', seq: sight.step.seq });
    } else this.#items.push({ kind: 'look' });
    this.#wake?.();
  }

  /** Words that come faster than they are written go out together. */
  #addDelta(delta: Delta): void {
    const after = this.#lastStep;
    const last = this.#items.at(-1);
    this.#characters += sizeOf(delta);
    if (last?.kind !== 'delta' || last.after !== after || !isLike(last.delta, delta)) {
      this.#items.push({ kind: 'delta', delta, after });
      return;
    }
    this.#items[this.#items.length - 1] = { ...last, delta: joined(last.delta, delta) };
  }

  async #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort(early);
    try {
      await this.#clock.sleep(timeoutMs, AbortSignal.any([woken.signal, signal]));
    } catch {
      // Woken, or nobody waits any more.
    } finally {
      this.#wake = undefined;
    }
  }
}

function sizeOf(delta: Delta): number {
  return delta.kind === 'tool-call' ? delta.tool.length : delta.text.length;
}

function isLike(one: Delta, other: Delta): boolean {
  return one.kind === other.kind && one.kind !== 'tool-call';
}

function joined(one: Delta, other: Delta): Delta {
  if (one.kind === 'tool-call' || other.kind === 'tool-call') return other;
  return { kind: one.kind, text: one.text + other.text };
}
