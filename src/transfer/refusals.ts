/** What is said where something about a transfer cannot be. */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { sizeText } from '../kernel/transfer/transfer.ts';
import type { Sql } from '../ledger/ledger.ts';
import { findTransfer, type TransferRow } from '../ledger/transfers/transfers.ts';

/** The same words whether there is none or it is somebody else's. */
export function unknownTransfer(typed: string): AosError {
  return new AosError('transfer.unknown', {
    message: `There is no transfer ${quote(typed.slice(0, 100))} of yours`,
    fix: 'Look with aos transfer list, or aos transfer sent',
  });
}

export function unknownUpload(): AosError {
  return new AosError('transfer.unknown', {
    message: 'There is no such upload of yours, or it is over',
    fix: 'Begin it again',
  });
}

/** The same for one that has expired, is used up, was revoked or never was. */
export function unknownLink(): AosError {
  return new AosError('transfer.unknown', {
    message: 'There is no such link, or it is not good any more',
    fix: 'Ask for a new one',
  });
}

export function transferOver(id: string, how: string): AosError {
  return new AosError('transfer.over', {
    message: `Transfer ${id} ${how}: its bytes cannot be fetched any more`,
    fix: 'Have it sent again',
  });
}

export function wrongState(id: string, words: string): AosError {
  return new AosError('transfer.wrong-state', {
    message: `Transfer ${id} ${words}`,
    fix: `aos transfer status ${id}`,
  });
}

export interface Room {
  readonly sender: string;
  readonly quotaBytes: number;
  readonly usedBytes: number;
  readonly neededBytes: number;
}

export function noRoom({ sender, quotaBytes, usedBytes, neededBytes }: Room): AosError {
  const left = sizeText(Math.max(0, quotaBytes - usedBytes));
  return new AosError('transfer.quota', {
    message: `${quote(sender)} has ${left} of its ${sizeText(quotaBytes)} left, and ${sizeText(neededBytes)} are needed`,
    fix: 'Revoke what is not needed any more (aos transfer sent, aos transfer revoke ID), or have transferQuotaMegabytes raised',
    details: { quota_bytes: quotaBytes, used_bytes: usedBytes, needed_bytes: neededBytes },
  });
}

// The transfer that somebody may know of.

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
