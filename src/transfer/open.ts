/** What its recipient needs to fetch a transfer, and the bytes. */
import type { ByteRange, OpenBlob } from '../blobs/blobs.ts';
import { unwrapKey } from '../blobs/seal/keys.ts';
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { advanceTransfer, findTransfer, type TransferRow } from '../ledger/transfers/transfers.ts';
import { principalOf } from '../relay/posting.ts';
import type { Actor, TransferDeps } from './deps.ts';
import type { Transfer } from './ends/ends.ts';
import { transferOf } from './find.ts';
import { transferOver } from './refusals.ts';
import { statusOf, toldTransfer } from './told.ts';

export interface Opened {
  readonly transfer: Transfer;
  readonly dek: string | null;
  readonly hash: string;
  readonly stored_bytes: number;
  readonly local: string | null;
}

export async function openTransfer(
  deps: TransferDeps,
  { party, isLocal }: Actor,
  id: string,
): Promise<Opened> {
  const row = await transferOf(deps.ledger.committed, party, { id, side: 'recipient' });
  const { hash, stored_bytes } = bodyOf(row, deps.clock.now());
  const dek = await recipientDek(deps, row);
  const place = isLocal ? await placeOf(deps, hash) : undefined;
  const fetched = await noteFetched(deps, row);
  return {
    transfer: toldTransfer(fetched, deps.clock.now()),
    dek: dek === undefined ? null : Buffer.from(dek).toString('hex'),
    ...{ hash, stored_bytes },
    local: place?.kind === 'file' ? place.path : null,
  };
}

/** Where the bytes are gone, whoever comes for them hears of it as everybody does. */
async function placeOf({ blobs }: Pick<TransferDeps, 'blobs'>, hash: string) {
  try {
    return await blobs.presign(hash);
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'blob.missing') return undefined;
    throw failure;
  }
}

export interface OpenBytes extends OpenBlob {
  readonly hash: string;
}

export async function transferBytes(
  { ledger, blobs, clock }: TransferDeps,
  party: string,
  { id, range }: { readonly id: string; readonly range?: ByteRange | undefined },
): Promise<OpenBytes> {
  const row = await transferOf(ledger.committed, party, { id, side: 'recipient' });
  const { hash } = bodyOf(row, clock.now());
  return { hash, ...(await blobs.get(hash, range)) };
}

export interface HeldBody {
  readonly id: string;
  readonly hash: string;
  readonly stored_bytes: number;
}

/** Throws where it is over. */
export function bodyOf(row: TransferRow, now: Instant): HeldBody {
  const { id, body, hash, stored_bytes, held, expires_at } = row;
  const status = statusOf(row, now);
  if (row.ack === 'revoked') throw transferOver(id, 'was revoked');
  if (status === 'failed')
    throw transferOver(id, row.ack === 'rejected' ? 'was rejected' : 'has failed');
  const isLate = expires_at !== null && expires_at <= now;
  if (status === 'expired' || isLate) throw transferOver(id, 'has expired');
  if (body === null || hash === null || stored_bytes === null || held === 0) {
    throw transferOver(id, 'is over');
  }
  return { id: body, hash, stored_bytes };
}

/** Undefined where nothing is sealed. */
export async function recipientDek(
  { keys }: Pick<TransferDeps, 'keys'>,
  { recipient, recipient_key, body }: TransferRow,
): Promise<Uint8Array | undefined> {
  if (recipient_key === null || body === null) return undefined;
  const { secretKey, address } = await keys.of(principalOf(recipient));
  return unwrapKey(recipient_key, { secretKey, address, object: body });
}

async function noteFetched(
  { ledger, clock }: TransferDeps,
  row: TransferRow,
): Promise<TransferRow> {
  const { id } = row;
  if (row.ack !== 'stored' && row.ack !== 'announced') return row;
  return ledger.transact(async (tx) => {
    const change = { from: ['stored', 'announced'], to: 'fetched', at: clock.now() } as const;
    if (await advanceTransfer(tx, id, change)) {
      const actor = principalOf(row.recipient);
      await tx.record({ actor, kind: 'transfer.fetched', subject: `transfer:${id}` });
    }
    return (await findTransfer(tx, id)) ?? row;
  });
}
