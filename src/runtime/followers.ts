/** Whoever looks on while an operation runs. What they miss is in the journal. */
import type { JournalStep } from '../kernel/journal/step.ts';
import type { Delta } from '../kernel/model.ts';

export type Sight =
  | { readonly kind: 'delta'; readonly delta: Delta }
  | { readonly kind: 'step'; readonly step: JournalStep }
  /** The state of the operation may have changed. */
  | { readonly kind: 'state' };

export class Followers {
  readonly #of = new Map<string, Set<(sight: Sight) => void>>();

  follow(operation: string, onSight: (sight: Sight) => void): Disposable {
    const all = this.#of.get(operation) ?? new Set();
    this.#of.set(operation, all.add(onSight));
    return {
      [Symbol.dispose]: () => {
        all.delete(onSight);
        if (all.size === 0) this.#of.delete(operation);
      },
    };
  }

  show(operation: string, sight: Sight): void {
    for (const onSight of this.#of.get(operation) ?? []) onSight(sight);
  }
}
