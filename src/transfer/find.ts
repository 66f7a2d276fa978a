/** The transfer that somebody may know of. */

import type { Sql } from '../ledger/ledger.ts';
import type { TransferRow } from '../ledger/transfers/transfers.ts';
import { findTransfer } from '../ledger/transfers/transfers.ts';
import { unknownTransfer } from './refusals.ts';

export type Side = 'sender' | 'recipient';

/** Refused in the same words where there is none and where it is not theirs. */
export async function transferOf(
  sql: Sql,
  party: string,
  { id, side }: { readonly id: string; readonly side: Side },
): Promise<TransferRow> {
  const row = await findTransfer(sql, id);
  if (row === undefined || row[side] !== party) throw unknownTransfer(id);
  return row;
}

export function isParty(row: Pick<TransferRow, 'sender' | 'recipient'>, party: string): boolean {
  return row.sender === party || row.recipient === party;
}
