/** Whether a sender may send to its recipients. */
import type { Deed } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { principalOf } from '../relay/posting.ts';
import { permitAll } from '../security/permit.ts';
import type { TransferDeps } from './deps.ts';

export interface Sending {
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
  { sender, to, sizeBytes, counts, isPermitted = false }: Sending,
): Promise<AosError | undefined> {
  // What a call of a tool has permitted is refused to a terminated agent all the same.
  const names = isPermitted ? [] : to;
  const result = await permitAll(grants, tx, {
    principal: principalOf(sender),
    deeds: names.map((name) => ({ resource: 'transfer', action: 'send', name })),
    uses: counts ? 'count' : 'look',
    isOneUse: true,
    size: {
      bytes: sizeBytes ?? 0,
      tooLarge: (deed, mostBytes) => tooMuch(sender, deed, mostBytes),
    },
    code: 'transfer.denied',
  });
  return result.kind === 'denied' ? result.error : undefined;
}

function tooMuch(sender: string, deed: Deed, mostBytes: number): AosError {
  const recipient = 'name' in deed ? deed.name : '';
  return new AosError('transfer.denied', {
    message: `${quote(sender)} may send ${quote(recipient)} at most ${mostBytes} bytes at a time`,
    fix: 'Send less, or ask the owner for another grant',
  });
}
