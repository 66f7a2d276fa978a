/** What a human should look at: an event, and a message to the owner. */
import type { Transaction } from '../ledger/ledger.ts';
import { ownerParty } from '../relay/envelope.ts';
import type { TransferDeps } from './deps.ts';
import { tellLater } from './notes.ts';

export interface Alert {
  readonly alert: 'failed-after-retries' | 'quota' | 'burst' | 'new-recipient' | 'odd-hour';
  readonly sender: string;
  /** One sentence. */
  readonly words: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly transfer?: string | undefined;
}

export async function alert(
  { clock }: Pick<TransferDeps, 'clock'>,
  tx: Transaction,
  { alert: kind, sender, words, facts, transfer }: Alert,
): Promise<void> {
  const at = clock.now();
  const subject = transfer === undefined ? `transfers:${sender}` : `transfer:${transfer}`;
  const data = { alert: kind, sender, ...facts };
  await tx.record({ actor: 'system', kind: 'transfer.alert', subject, data });
  const key = `transfer:alert:${kind}:${transfer ?? sender}:${at}`;
  await tellLater(tx, { to: ownerParty, key, body: `${words}\n`, transfer }, at);
}
