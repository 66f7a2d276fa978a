/** Which messages have been pushed over a connection that is open, and are not read yet. */
import type { Party } from '../../relay/envelope.ts';

export interface LivePushes {
  has(id: string): boolean;
}

export class LiveMail {
  readonly #byParty = new Map<Party, Set<LivePushes>>();

  add(party: Party, pushes: LivePushes): void {
    const all = this.#byParty.get(party) ?? new Set();
    this.#byParty.set(party, all.add(pushes));
  }

  remove(party: Party, pushes: LivePushes): void {
    const all = this.#byParty.get(party);
    all?.delete(pushes);
    if (all?.size === 0) this.#byParty.delete(party);
  }

  has(party: Party, id: string): boolean {
    return (
      this.#byParty
        .get(party)
        ?.values()
        .some((pushes) => pushes.has(id)) === true
    );
  }
}
