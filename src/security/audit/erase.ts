import { AosError } from '../../kernel/errors.ts';
import { eraseEventData, readEvents, type SealedEvent } from '../../ledger/events.ts';
import type { Ledger, Transaction } from '../../ledger/ledger.ts';

export interface Erasure {
  readonly seqs: readonly number[];
  readonly actor: string;
}

// They are listed in one event, and one transaction holds up everybody else.
const mostAtOnce = 1000;

/**
 * Takes the data of these events away, all or none, and records that it did. Resolves to
 * those that had any.
 */
export async function eraseEvents(
  ledger: Pick<Ledger, 'transact'>,
  { seqs, actor }: Erasure,
): Promise<readonly number[]> {
  const wanted = [...new Set(seqs)].sort((a, b) => a - b);
  if (wanted.length > mostAtOnce) throw tooMany(wanted.length);
  return ledger.transact(async (tx) => {
    for (const seq of wanted) refuseUnlessErasable(seq, await eventAt(tx, seq));
    const erased: number[] = [];
    for (const seq of wanted) if ((await eraseEventData(tx, seq)) === 1) erased.push(seq);
    if (erased.length > 0) {
      const data = { seqs: erased };
      await tx.record({ actor, kind: 'audit.erased', subject: 'ledger', data });
    }
    return erased;
  });
}

async function eventAt(tx: Transaction, seq: number): Promise<SealedEvent | undefined> {
  const filter = { after: seq - 1, before: seq + 1 };
  const [event] = await readEvents(tx, filter, { limit: 1, order: 'oldest-first' });
  // Between the two lies one number, unless it is no whole one that was asked for.
  return event?.seq === seq ? event : undefined;
}

function refuseUnlessErasable(seq: number, event: SealedEvent | undefined): void {
  if (event === undefined) {
    throw new AosError('audit.unknown-event', {
      message: `There is no event ${seq}, or it was pruned`,
      fix: 'aos audit',
    });
  }
  // Without it nobody could tell data that was erased from data that was stolen away.
  if (event.kind.startsWith('audit.')) {
    throw new AosError('audit.not-erasable', {
      message: `Event ${seq} is ${event.kind}, which proves that the trail is whole and is kept`,
      fix: 'Leave it out',
    });
  }
}

function tooMany(count: number): AosError {
  return new AosError('audit.too-many', {
    message: `${count} events are more than the ${mostAtOnce} that are erased at once`,
    fix: 'Erase them in several steps',
    details: { limit: mostAtOnce },
  });
}
