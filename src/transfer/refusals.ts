/** What refuses a transfer, and in which words: grants, the sender's quota, its state. */

import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { sizeText } from '../kernel/transfer/transfer.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { findTransfer, type TransferRow } from '../ledger/transfers/transfers.ts';
import { principalIdOf } from '../relay/posting.ts';
import { permitAll } from '../security/permit.ts';
import type { TransferDeps } from './deps.ts';

/** In the same words whether there is none or it is another principal's. */
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

/** In the same words for a link that has expired, is used up, was revoked or never was. */
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

export interface QuotaFacts {
  readonly sender: string;
  readonly quotaBytes: number;
  readonly usedBytes: number;
  readonly neededBytes: number;
}

export function noRoom({ sender, quotaBytes, usedBytes, neededBytes }: QuotaFacts): AosError {
  const left = sizeText(Math.max(0, quotaBytes - usedBytes));
  return new AosError('transfer.quota', {
    message: `${quote(sender)} has ${left} of its ${sizeText(quotaBytes)} left, and ${sizeText(neededBytes)} are needed`,
    fix: 'Revoke what is not needed any more (aos transfer sent, aos transfer revoke ID), or have transferQuotaMegabytes raised',
    details: { quota_bytes: quotaBytes, used_bytes: usedBytes, needed_bytes: neededBytes },
  });
}

// The transfer that a principal may know of.

export type Side = 'sender' | 'recipient';

/** Refused in the same words where there is none and where it is not theirs. */
export async function transferOf(
  sql: Sql,
  principal: string,
  { id, side }: { readonly id: string; readonly side: Side },
): Promise<TransferRow> {
  const row = await findTransfer(sql, id);
  if (row === undefined || row[side] !== principal) throw unknownTransfer(id);
  return row;
}

export function isSenderOrRecipient(
  row: Pick<TransferRow, 'sender' | 'recipient'>,
  principal: string,
): boolean {
  return row.sender === principal || row.recipient === principal;
}

// Whether a sender may send to its recipients.

interface SendingFacts {
  readonly sender: string;
  readonly to: readonly string[];
  /** Null where it is not known yet. */
  readonly sizeBytes: number | null;
  /** Whether the uses are counted: once, when it is really sent. */
  readonly counts: boolean;
  /** Of the actor. */
  readonly isPermitted?: boolean | undefined;
}

/** What is against it, on record in this transaction; undefined where nothing is. */
export async function refuseSending(
  { grants }: Pick<TransferDeps, 'grants'>,
  tx: Transaction,
  { sender, to, sizeBytes, counts, isPermitted = false }: SendingFacts,
): Promise<AosError | undefined> {
  // What a call of a tool has permitted is refused to a terminated agent all the same.
  const names = isPermitted ? [] : to;
  const result = await permitAll(grants, tx, {
    principal: principalIdOf(sender),
    actions: names.map((name) => ({ resource: 'transfer', action: 'send', name })),
    uses: counts ? 'count' : 'look',
    isOneUse: true,
    size: {
      bytes: sizeBytes ?? 0,
      tooLarge: (action, mostBytes) => tooMuch(sender, action, mostBytes),
    },
    code: 'transfer.denied',
  });
  return result.kind === 'denied' ? result.error : undefined;
}

function tooMuch(sender: string, action: Action, mostBytes: number): AosError {
  const recipient = 'name' in action ? action.name : '';
  return new AosError('transfer.denied', {
    message: `${quote(sender)} may send ${quote(recipient)} at most ${mostBytes} bytes at a time`,
    fix: 'Send less, or ask the owner for another grant',
  });
}
