/** What a queue holds in memory until its turn comes, and how much that may be. */
import { batchRows } from '../../ledger/ledger.ts';
import type { Outgoing } from '../mail.ts';

const batchBytes = 1024 * 1024;
// What may wait in memory for its turn.
const mostWaiting = 4096;
const mostWaitingBytes = 2 * 1024 * 1024;

export class HeldMail {
  #waiting: Outgoing[] = [];
  #bytes = 0;

  get count(): number {
    return this.#waiting.length;
  }

  get hasRoom(): boolean {
    return this.#waiting.length < mostWaiting && this.#bytes < mostWaitingBytes;
  }

  all(): readonly Outgoing[] {
    return this.#waiting;
  }

  add(outgoing: Outgoing): void {
    this.#waiting.push(outgoing);
    this.#bytes += outgoing.mail.size_bytes;
  }

  /** Takes out what goes next. */
  nextBatch(): readonly Outgoing[] {
    const waiting = this.#waiting;
    if (waiting.length > 1) waiting.sort(byTurn);
    let bytes = 0;
    let count = 0;
    for (const { mail } of waiting) {
      bytes += mail.size_bytes;
      if (count === batchRows || (count > 0 && bytes > batchBytes)) break;
      count++;
    }
    const batch = waiting.splice(0, count);
    for (const { mail } of batch) this.#bytes -= mail.size_bytes;
    return batch;
  }

  drop(gone: readonly Outgoing[]): void {
    const dropped = new Set(gone);
    this.#waiting = this.#waiting.filter((outgoing) => !dropped.has(outgoing));
    this.#bytes = this.#waiting.reduce((sum, { mail }) => sum + mail.size_bytes, 0);
  }
}

function byTurn(one: Outgoing, other: Outgoing): number {
  return one.mail.priority - other.mail.priority || one.mail.delivery - other.mail.delivery;
}
