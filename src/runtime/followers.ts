/** Those that look on while an operation runs. What they miss is in the journal. */

import type { Delta } from '../kernel/agent/model.ts';
import type { JournalStep } from '../kernel/journal/step.ts';
import type { OutputStream } from '../kernel/sandbox.ts';

export type RunEvent =
  | { readonly kind: 'delta'; readonly delta: Delta }
  | { readonly kind: 'step'; readonly step: JournalStep }
  | ({ readonly kind: 'output' } & CallOutput)
  /** From here on, not all is seen of what this call shows. */
  | ({ readonly kind: 'dropped' } & ShowingCall)
  /** The state of the operation may have changed. */
  | { readonly kind: 'state' };

/** A call of a tool, as its model knows it. */
export interface ShowingCall {
  readonly call: string;
  readonly tool: string;
}

/** What a tool shows while it runs. */
export interface CallOutput extends ShowingCall {
  readonly stream: OutputStream;
  readonly text: string;
}

export class Followers {
  readonly #of = new Map<string, Set<(event: RunEvent) => void>>();

  follow(operation: string, onEvent: (event: RunEvent) => void): Disposable {
    const all = this.#of.get(operation) ?? new Set();
    this.#of.set(operation, all.add(onEvent));
    return {
      [Symbol.dispose]: () => {
        all.delete(onEvent);
        if (all.size === 0) this.#of.delete(operation);
      },
    };
  }

  show(operation: string, event: RunEvent): void {
    for (const onEvent of this.#of.get(operation) ?? []) onEvent(event);
  }
}
