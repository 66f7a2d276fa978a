/**
 * Signed heads: who has one, and keeps it elsewhere, can show later that everything up to
 * it is as it was.
 */
import { type Clock, lastInstant } from '../../kernel/ports.ts';
import {
  chainHead,
  findSignedHead,
  insertSignedHead,
  type SignedHead,
} from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Signer } from '../identity/key-file.ts';
import { recoverAddress } from '../identity/key-pair.ts';

export interface HeadDeps {
  readonly ledger: Ledger;
  readonly owner: Signer;
  readonly clock: Pick<Clock, 'now'>;
}

/** Signs the end of the chain, once for each event; undefined when nothing has happened. */
export async function signHead(deps: HeadDeps): Promise<SignedHead | undefined> {
  return (await signEnd(deps))?.head;
}

/** Like signHead(), but undefined too when the end has been signed before. */
export async function signNewHead(deps: HeadDeps): Promise<SignedHead | undefined> {
  const end = await signEnd(deps);
  return end?.isNew === true ? end.head : undefined;
}

interface SignedEnd {
  readonly head: SignedHead;
  readonly isNew: boolean;
}

function signEnd({ ledger, owner, clock }: HeadDeps): Promise<SignedEnd | undefined> {
  // Read and kept in one transaction: meanwhile the events could be pruned.
  return ledger.transact(async (tx) => {
    const { seq, hash } = await chainHead(tx);
    if (seq === 0) return undefined;
    const stored = await findSignedHead(tx, seq);
    if (stored !== undefined) return { head: stored, isNew: false };
    const head = signedHead(owner, { seq, hash, at: clock.now(), reason: 'head' });
    await insertSignedHead(tx, head);
    return { head, isNew: true };
  });
}

type UnsignedHead = Omit<SignedHead, 'signer' | 'signature'>;

export function signedHead(owner: Signer, head: UnsignedHead): SignedHead {
  return { ...head, signer: owner.address, signature: owner.sign(headText(head)) };
}

export function isSignedBy(head: SignedHead, address: string): boolean {
  // An impossible time would throw where it is spelt, and was never signed.
  if (!Number.isSafeInteger(head.at) || Math.abs(head.at) > lastInstant) return false;
  return head.signer === address && recoverAddress(headText(head), head.signature) === address;
}

// A checkpoint says that what was before it may be gone. A mere head, of which many are
// handed out, must not be good for that.
function headText({ seq, hash, at, reason }: UnsignedHead): string {
  return `Agent OS ledger ${reason}\nseq: ${seq}\nhash: ${hash}\nat: ${new Date(at).toISOString()}`;
}
