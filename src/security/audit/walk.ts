/**
 * What makes a chain of events whole. It may grow and be erased from while it is walked.
 *
 * V1. Every event since the start follows the one before it and is as it was sealed.
 * V2. The start is the chain's own, or a checkpoint that the owner signed; before it
 *     nothing is left.
 * V3. Data is gone only where a later event says that it was erased, and never from the
 *     events that say such things.
 * V4. Every signed head is the owner's and lies on the chain. It is read before the
 *     events, so that an event which it promises must be there.
 * V5. A head that was kept elsewhere lies on the chain too. Only this finds a tail that
 *     was cut off with its heads, or a chain that was written anew with them.
 */

import { z } from 'zod';
import {
  type ChainHead,
  chainHead,
  chainStart,
  dataDigest,
  nextHead,
  readEvents,
  type SealedEvent,
  type SignedHead,
  signedHeadsIn,
} from '../../ledger/events.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { isSignedBy } from './head.ts';

export interface WholeChain {
  readonly kind: 'whole';
  readonly events: number;
  /** After which the first event comes: the chain's start, or a checkpoint. */
  readonly from: ChainHead;
  readonly head: ChainHead;
  /** How many events have lost their data, rightly. */
  readonly erased: number;
  readonly signedHeads: number;
  /** `too-old`: what it could prove has been pruned. */
  readonly keptHead: 'none' | 'fits' | 'too-old';
}

export interface BrokenChain {
  readonly kind: 'broken';
  /** The first event that is not as it should be, or is not there. */
  readonly seq: number;
  readonly why: string;
}

export interface WalkDeps {
  readonly sql: Sql;
  readonly pause: () => Promise<void>;
  readonly owner: string | undefined;
  readonly checkpoint: SignedHead | undefined;
  readonly keptHead: SignedHead | undefined;
  /** Only events before this one are looked at; all, when it is not given. */
  readonly before?: number;
}

const pageEvents = 1000;
// A signature takes about two milliseconds.
const signaturesBeforePause = 5;

/** One way through the chain, from its start to its end. */
export class AuditWalk {
  readonly #deps: WalkDeps;
  readonly #start: ChainHead;
  readonly #erasures: Erasures;
  readonly #before: number;
  #head: ChainHead;
  #events = 0;
  #erased = 0;
  #signedHeads = 0;

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    const { seq, hash } = deps.checkpoint ?? chainStart;
    this.#start = { seq, hash };
    this.#head = this.#start;
    this.#before = deps.before ?? Number.MAX_SAFE_INTEGER;
    this.#erasures = new Erasures(deps.sql, deps.pause);
  }

  async toEnd(): Promise<WholeChain | BrokenChain> {
    const { sql, pause } = this.#deps;
    const wrongStart = await this.#checkStart();
    if (wrongStart !== undefined) return wrongStart;
    for (;;) {
      // V4
      const [promised] = await this.#heads(Number.MAX_SAFE_INTEGER, 1);
      const filter = { after: this.#head.seq, before: this.#deps.before };
      const page = await readEvents(sql, filter, { limit: pageEvents, order: 'oldest-first' });
      if (page.length === 0) return this.#checkEnd(promised);
      const wrong = await this.#checkPage(page);
      if (wrong !== undefined) return wrong;
      await pause();
    }
  }

  // V2
  async #checkStart(): Promise<BrokenChain | undefined> {
    const { sql, checkpoint } = this.#deps;
    const { seq: start } = this.#start;
    const oldest = { limit: 1, order: 'oldest-first' } as const;
    const first = { before: Math.min(start + 1, this.#before) };
    const [leftover] = await readEvents(sql, first, oldest);
    if (leftover !== undefined) {
      const { seq } = leftover;
      // The smallest number of all is handed out, although it is none that can be told.
      const place = Number.isSafeInteger(seq) ? seq : start;
      return broken(place, 'It stands before the start of the chain');
    }
    const through = Math.min(start, this.#before - 1);
    const range = { after: Number.MIN_SAFE_INTEGER, through, limit: 1 };
    const [head] = await signedHeadsIn(sql, range);
    if (head !== undefined && (head.seq < start || checkpoint === undefined)) {
      return broken(head.seq, 'A signed head names it, and it lies before the start of the chain');
    }
    return (await this.#checkHead(checkpoint)) ?? this.#checkKept();
  }

  async #checkPage(page: readonly SealedEvent[]): Promise<BrokenChain | undefined> {
    const last = page.at(-1)?.seq ?? this.#head.seq;
    const heads = await this.#heads(last, pageEvents);
    const headOf = new Map(heads.map((head) => [head.seq, head]));
    for (const event of page) {
      const wrong =
        faultOf(event, this.#head) ??
        (isErased(event) ? await this.#checkErased(event) : undefined);
      if (wrong !== undefined) return wrong;
      this.#head = { seq: event.seq, hash: event.hash };
      this.#events++;
      const wrongHead = (await this.#checkHead(headOf.get(event.seq))) ?? this.#checkKept();
      if (wrongHead !== undefined) return wrongHead;
    }
    return undefined;
  }

  // V3
  async #checkErased({ seq, kind }: SealedEvent): Promise<BrokenChain | undefined> {
    if (kind.startsWith('audit.')) {
      return broken(seq, `Its data is gone, which is never erased from an "audit" event`);
    }
    if (!(await this.#erasures.tellOf(seq))) {
      return broken(seq, 'Its data is gone, and no later event says that it was erased');
    }
    this.#erased++;
    return undefined;
  }

  // V4
  async #checkHead(signed: SignedHead | undefined): Promise<BrokenChain | undefined> {
    if (signed === undefined) return undefined;
    const { owner, pause } = this.#deps;
    const { seq } = signed;
    if (signed.hash !== this.#head.hash) {
      return broken(seq, `The signed head of event ${seq} has another hash: ${rewritten(seq)}`);
    }
    if (owner === undefined || !isSignedBy(signed, owner)) {
      return broken(seq, `The ${signed.reason} of event ${seq} is not signed by the owner`);
    }
    this.#signedHeads++;
    if (this.#signedHeads % signaturesBeforePause === 0) await pause();
    return undefined;
  }

  // V5
  #checkKept(): BrokenChain | undefined {
    const { keptHead } = this.#deps;
    if (keptHead?.seq !== this.#head.seq || keptHead.hash === this.#head.hash) return undefined;
    const { seq } = keptHead;
    return broken(seq, `The head that was kept has another hash: ${rewritten(seq)}`);
  }

  #checkEnd(promised: SignedHead | undefined): WholeChain | BrokenChain {
    const { keptHead } = this.#deps;
    const { seq } = this.#head;
    if (promised !== undefined) {
      const why = `The ledger ends with event ${seq}, but a signed head names ${promised.seq}`;
      return broken(seq + 1, why);
    }
    if (keptHead !== undefined && keptHead.seq > seq) {
      const missing = keptHead.seq - seq;
      const events = missing === 1 ? 'The last event is' : `The last ${missing} events are`;
      const why = `${events} missing: the ledger ends with ${seq}, the head that was kept is of ${keptHead.seq}`;
      return broken(seq + 1, why);
    }
    return this.#whole();
  }

  #whole(): WholeChain {
    const { keptHead } = this.#deps;
    return {
      kind: 'whole',
      events: this.#events,
      from: this.#start,
      head: this.#head,
      erased: this.#erased,
      signedHeads: this.#signedHeads,
      keptHead:
        keptHead === undefined ? 'none' : keptHead.seq < this.#start.seq ? 'too-old' : 'fits',
    };
  }

  /** The signed heads that lie ahead. */
  #heads(through: number, limit: number): Promise<SignedHead[]> {
    const range = { after: this.#head.seq, through: Math.min(through, this.#before - 1), limit };
    return signedHeadsIn(this.#deps.sql, range);
  }
}

// V1
function faultOf(event: SealedEvent, before: ChainHead): BrokenChain | undefined {
  const { seq, data, data_digest } = event;
  if (seq !== before.seq + 1) {
    return broken(before.seq + 1, `It is missing: event ${seq} comes next`);
  }
  if (event.prev_hash !== before.hash) {
    return broken(seq, 'It does not follow the event before it');
  }
  if (event.hash !== nextHead(before, { ...event, dataDigest: data_digest }).hash) {
    return broken(seq, 'It was changed after it was written');
  }
  if (data !== null && dataDigest(data) !== data_digest) {
    return broken(seq, 'Its data was changed after it was written');
  }
  return undefined;
}

function isErased({ data, data_digest }: SealedEvent): boolean {
  return data === null && data_digest !== null;
}

function broken(seq: number, why: string): BrokenChain {
  return { kind: 'broken', seq, why };
}

function rewritten(seq: number): string {
  return `the chain was rewritten at or before event ${seq}`;
}

/** What `audit.erased` carries. */
const erasure = z.object({ seqs: z.array(z.number()) });

// Few events are erasures, and there is no index for finding them: so many are looked
// through at a time.
const windowEvents = 20_000;

/** Which data is rightly gone. Looked up only when some is found to be gone. */
class Erasures {
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
