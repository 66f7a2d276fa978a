/**
 * Who may start a program, and when: so many run at once as there are slots, the others wait
 * in the order in which they came, and one that is to be started later rests until then.
 */

import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';

export interface StartQueueDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly slots: number;
  /** Called for who got a slot after waiting; it gives it back by `leave`. */
  start(name: string): void;
}

export class StartQueue {
  readonly #deps: StartQueueDeps;
  /** Those that run, or are being started. */
  readonly #seated = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #resting = new Map<string, AbortController>();
  #isClosed = false;

  constructor(deps: StartQueueDeps) {
    this.#deps = deps;
  }

  get seated(): readonly string[] {
    return [...this.#seated];
  }

  get isFull(): boolean {
    return this.#seated.size >= this.#deps.slots;
  }

  holds(name: string): boolean {
    return this.#seated.has(name);
  }

  /** Also beyond the slots, for what runs already. */
  seat(name: string): void {
    this.cancel(name);
    this.#seated.add(name);
  }

  leave(name: string): void {
    this.#seated.delete(name);
    this.#next();
  }

  /** An agent that has a slot does not wait for one. */
  wait(...names: readonly string[]): void {
    for (const name of names) if (!this.#seated.has(name)) this.#waiting.add(name);
    this.#next();
  }

  /** It waits after that time. */
  rest(name: string, restMs: number): void {
    if (this.#isClosed) return;
    this.cancel(name);
    const rest = new AbortController();
    this.#resting.set(name, rest);
    this.#deps.clock.sleep(restMs, rest.signal).then(
      () => {
        this.#resting.delete(name);
        this.wait(name);
      },
      // It was cancelled.
      () => {},
    );
  }

  /** It neither waits nor rests any more. */
  cancel(name: string): void {
    this.#waiting.delete(name);
    this.#resting.get(name)?.abort(early);
    this.#resting.delete(name);
  }

  /** No agent is started any more. */
  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#waiting, ...this.#resting.keys()]) this.cancel(name);
  }

  #next(): void {
    for (const name of this.#waiting) {
      if (this.#isClosed || this.isFull) return;
      this.seat(name);
      this.#deps.start(name);
    }
  }
}
