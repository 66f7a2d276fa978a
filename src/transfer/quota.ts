/** How much a sender may have stored: reserved before the first byte comes. */

import { sizeText } from '../kernel/transfer/transfer.ts';
import { readState, type Sql, type Transaction, writeState } from '../ledger/ledger.ts';
import { heldBytes, reservedBytes } from '../ledger/transfers/bodies.ts';
import { alert } from './announce.ts';
import type { TransferDeps } from './deps.ts';
import { noRoom } from './refusals.ts';

/** Where the size is not known before the end, room is taken in such steps. */
export const reserveStepBytes = 64 * 1024 * 1024;

const warnShare = 0.8;
const calmShare = 0.7;

export async function usedBytes(sql: Sql, sender: string): Promise<number> {
  return (await heldBytes(sql, sender)) + (await reservedBytes(sql, sender));
}

/** Throws where there is no room for so many more. */
export async function checkRoom(
  { limits }: Pick<TransferDeps, 'limits'>,
  tx: Transaction,
  { sender, neededBytes }: { readonly sender: string; readonly neededBytes: number },
): Promise<void> {
  const used = await usedBytes(tx, sender);
  const { quotaBytes } = limits;
  if (used + neededBytes > quotaBytes) {
    throw noRoom({ sender, quotaBytes, usedBytes: used, neededBytes });
  }
}

/** Tells the owner when much of it is used, and not again before it was less. */
export async function watchQuota(
  deps: Pick<TransferDeps, 'limits' | 'clock'>,
  tx: Transaction,
  sender: string,
): Promise<void> {
  const { quotaBytes } = deps.limits;
  const used = await usedBytes(tx, sender);
  const key = `transfer.quota.${sender}`;
  const wasTold = (await readState(tx, key)) === 'told';
  const now = deps.clock.now();
  if (wasTold && used < calmShare * quotaBytes) return writeState(tx, key, 'calm', now);
  if (wasTold || used <= warnShare * quotaBytes) return;
  await writeState(tx, key, 'told', now);
  await alert(deps, tx, {
    alert: 'quota',
    sender,
    words: `${sender} has used ${sizeText(used)} of the ${sizeText(quotaBytes)} that it may store.`,
    facts: { used_bytes: used, quota_bytes: quotaBytes },
  });
}
