import { z } from 'zod';
import { chainHead, readEvents } from '../../ledger/events.ts';
import type { Sql } from '../../ledger/ledger.ts';

/** What `audit.erased` carries. */
const erasure = z.object({ seqs: z.array(z.number()) });

// Few events are erasures, and there is no index for finding them: so many are looked
// through at a time.
const windowEvents = 20_000;

/** Which data is rightly gone. Looked up only when some is found to be gone. */
export class Erasures {
  readonly #sql: Sql;
  readonly #pause: () => Promise<void>;
  /** The event whose data is gone, and the last one that says so. */
  readonly #sayers = new Map<number, number>();
  #readThrough = 0;

  constructor(sql: Sql, pause: () => Promise<void>) {
    this.#sql = sql;
    this.#pause = pause;
  }

  /** Whether a later event says that this one's data was erased. Ask in ascending order. */
  async tellOf(seq: number): Promise<boolean> {
    // An erasure comes after what it erased, so what lies before need not be read. One
    // that is under way while we verify is found by reading on.
    if (!this.#sayers.has(seq)) await this.#readOn(seq);
    return (this.#sayers.get(seq) ?? 0) > seq;
  }

  async #readOn(from: number): Promise<void> {
    const end = (await chainHead(this.#sql)).seq;
    let after = Math.max(from, this.#readThrough);
    while (after < end) {
      const window = { kind: 'audit.erased', after, before: after + windowEvents + 1 };
      const page = { limit: windowEvents, order: 'oldest-first' } as const;
      for (const { seq, data } of await readEvents(this.#sql, window, page)) {
        for (const erased of seqsIn(data)) this.#sayers.set(erased, seq);
      }
      after += windowEvents;
      await this.#pause();
    }
    this.#readThrough = end;
  }
}

// What cannot be read erased nothing; whether it was tampered with is found at its turn.
function seqsIn(data: string | null): readonly number[] {
  try {
    return erasure.parse(JSON.parse(data ?? '')).seqs;
  } catch {
    return [];
  }
}
