/**
 * Deliveries that are being delivered: claimed, held, and given back or delivered. Each change
 * names its holder (deliveries.ts, L1), so that a claim which was lost counts for nothing.
 */
import type { Instant } from '../../kernel/ports.ts';
import { batchRows, changeBatch, forSizes, places, type Sql, type Transaction } from '../ledger.ts';
import type { DeliveryVia } from './deliveries.ts';

export const claimText = `
  update deliveries set owner = $1
  where id in (${places(batchRows, 2)}) and state = 'accepted' and owner is null returning id`;

const claimTexts = [{ size: batchRows, text: claimText }];

/** L1. Of at most a batch, those that no other owner was faster to claim. */
export function claimDeliveries(
  tx: Transaction,
  ids: readonly number[],
  owner: string,
): Promise<ReadonlySet<number>> {
  return changeBatch(tx, claimTexts, { ids, first: [owner] });
}

/** Every holder that is not `owner` is dead; what it held waits again. */
export function releaseAllBut(tx: Transaction, owner: string): Promise<number> {
  return tx.run(
    `update deliveries set owner = null where state = 'accepted' and owner is not null and owner <> $1`,
    [owner],
  );
}

export async function releaseDelivery(
  tx: Transaction,
  id: number,
  owner: string,
): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set owner = null where id = $1 and state = 'accepted' and owner = $2`,
    [id, owner],
  );
  return changed === 1;
}

const succeededTexts = forSizes(
  (size) => `
  update deliveries set state = 'delivered', via = $2, delivered_at = $3, owner = null,
    attempts = attempts + 1
  where id in (${places(size, 4)}) and state = 'accepted' and owner = $1 returning id`,
);

/** Of at most a batch, those that were still held. */
export function deliveriesSucceeded(
  tx: Transaction,
  ids: readonly number[],
  { owner, via, at }: { readonly owner: string; readonly via: DeliveryVia; readonly at: Instant },
): Promise<ReadonlySet<number>> {
  return changeBatch(tx, succeededTexts, { ids, first: [owner, via, at] });
}

export async function deliveryFailed(
  tx: Transaction,
  id: number,
  failure: { readonly owner: string; readonly error: string; readonly dueAt: Instant },
): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set owner = null, attempts = attempts + 1, error = $3, due_at = $4
     where id = $1 and state = 'accepted' and owner = $2`,
    [id, failure.owner, failure.error, failure.dueAt],
  );
  return changed === 1;
}

/** One that was being delivered; few are, so no index leads here. */
export function heldByStamp(
  sql: Sql,
  recipient: string,
  stampNs: string,
): Promise<{ id: number; owner: string; message_id: string } | undefined> {
  return sql.get(
    `select d.id, d.owner, m.message_id from deliveries d join messages m on m.id = d.message
     where d.recipient = $1 and d.stamp_ns = $2 and d.state = 'accepted' and d.owner is not null`,
    [recipient, stampNs],
  );
}
