/** Whether a sender may send to its recipients. */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { principalOf } from '../relay/posting.ts';
import {
  authorize,
  type Denial,
  deniedError,
  recordDenial,
  refuseTerminated,
  type Wish,
  withoutAsking,
} from '../security/authorize.ts';
import { type HeldGrant, mostBytesOf } from '../security/grants/held-grant.ts';
import type { TransferDeps } from './deps.ts';

export interface Sending {
  readonly sender: string;
  readonly to: readonly string[];
  /** Null where nobody knows yet. */
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
  const principal = principalOf(sender);
  const over = await refuseTerminated(tx, principal, {});
  if (over !== undefined) return asTransfer(over);
  if (isPermitted) return undefined;
  const used = new Map<HeldGrant, Wish>();
  for (const name of to) {
    const wish: Wish = { principal, deed: { resource: 'transfer', action: 'send', name } };
    const decision = withoutAsking(await authorize(grants, tx, wish));
    if (decision.kind === 'denied') return denied(tx, wish, decision);
    if (decision.grant === undefined) continue;
    const mostBytes = mostBytesOf(decision.grant);
    if (mostBytes !== undefined && (sizeBytes ?? 0) > mostBytes) {
      return tooMuch(sender, name, mostBytes);
    }
    used.set(decision.grant, wish);
  }
  if (!counts) return undefined;
  const spent = await grants.use(tx, [...used.keys()]);
  const wish = spent && used.get(spent);
  if (spent === undefined || wish === undefined) return undefined;
  return denied(tx, wish, { kind: 'denied', nearest: { grant: spent.id, why: 'used-up' } });
}

async function denied(tx: Transaction, wish: Wish, denial: Denial): Promise<AosError> {
  await recordDenial(tx, wish, denial);
  return asTransfer(deniedError(wish, denial));
}

function asTransfer({ message, fix, details }: AosError): AosError {
  return new AosError('transfer.denied', { message, fix, details });
}

function tooMuch(sender: string, recipient: string, mostBytes: number): AosError {
  return new AosError('transfer.denied', {
    message: `${quote(sender)} may send ${quote(recipient)} at most ${mostBytes} bytes at a time`,
    fix: 'Send less, or ask the owner for another grant',
  });
}
