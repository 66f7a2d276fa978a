/** Tells the owner of what is unusual (kernel/transfer/unusual.ts), of each kind once a day and sender. */
import { lookBackMs, type UnusualKind, unusual } from '../kernel/transfer/transfer.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { readState, writeState } from '../ledger/state.ts';
import { sentWithin, type TransferRow } from '../ledger/transfers/transfers.ts';
import { alert } from './alerts.ts';
import type { TransferDeps } from './deps.ts';

type UnusualDeps = Pick<TransferDeps, 'ledger' | 'clock'>;

const dayMs = 86_400_000;

/** `rows` are those of one sending, and are in the ledger. */
export async function watchForUnusual(
  { ledger, clock }: UnusualDeps,
  rows: readonly TransferRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { sender, batch, created_at } = first;
  const within = { sender, after: created_at - lookBackMs, until: created_at, but: batch };
  const past = await sentWithin(ledger.committed, within);
  const now = rows.map(({ created_at: at, recipient, file_size_bytes: bytes }) => {
    return { at, recipient, bytes };
  });
  const kinds = unusual(past, now);
  if (kinds.length === 0) return;
  await ledger.transact(async (tx) => {
    for (const kind of kinds) await tellOnce({ clock }, tx, { kind, first });
  });
}

interface Found {
  readonly kind: UnusualKind;
  readonly first: TransferRow;
}

async function tellOnce(
  { clock }: Pick<UnusualDeps, 'clock'>,
  tx: Transaction,
  { kind, first: { sender, recipient, batch, id } }: Found,
): Promise<void> {
  const key = `transfer.unusual.${kind}.${sender}`;
  const now = clock.now();
  const told = Number((await readState(tx, key)) ?? Number.NEGATIVE_INFINITY);
  if (Math.abs(now - told) < dayMs) return;
  await writeState(tx, key, String(now), now);
  const words = {
    burst: `${sender} sends much more than in any hour of the last thirty days.`,
    'new-recipient': `${sender} has sent something to somebody to whom it never sent before.`,
    'odd-hour': `${sender} sends at a time of the day at which it never sent before.`,
  }[kind];
  await alert({ clock }, tx, {
    alert: kind,
    sender,
    words,
    facts: { recipient, batch, transfer: id },
  });
}
