import { AosError } from '../../kernel/errors.ts';
import { lastCheckpoint, type SignedHead } from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findPrincipal } from '../../ledger/principals.ts';
import { isSignedBy } from './head.ts';
import { type BrokenChain, Walk, type WholeChain } from './walk.ts';

export type Verification = WholeChain | BrokenChain;

export interface VerifyDeps {
  readonly ledger: Pick<Ledger, 'openView'>;
  /** Called every few milliseconds of work, so that others get a turn. */
  readonly pause?: () => Promise<void>;
}

export interface VerifyChoices {
  /** A head that `aos audit head` printed once. */
  readonly keptHead?: SignedHead | undefined;
}

/** Looks at every event and every signed head, and names the first that is wrong. */
export async function verifyChain(
  deps: VerifyDeps,
  { keptHead }: VerifyChoices = {},
): Promise<Verification> {
  const { pause = async () => {} } = deps;
  // What the file holds, not what this process remembers of it.
  using sql = deps.ledger.openView();
  const owner = (await findPrincipal(sql, 'owner'))?.address;
  if (keptHead !== undefined) refuseBadHead(keptHead, owner);
  for (;;) {
    const checkpoint = await lastCheckpoint(sql);
    const walk = new Walk({ sql, pause, owner, checkpoint, keptHead });
    const verification = await walk.toEnd();
    if (verification.kind === 'whole') return verification;
    // What was missed may have been pruned under our eyes; then it is looked at again.
    if ((await lastCheckpoint(sql))?.seq === checkpoint?.seq) return verification;
  }
}

function refuseBadHead(head: SignedHead, owner: string | undefined): void {
  if (owner !== undefined && isSignedBy(head, owner)) return;
  const told = owner === undefined ? 'which names no owner' : `whose owner is ${owner}`;
  throw new AosError('audit.bad-head', {
    message: `The head that was kept is not signed by the owner of this ledger, ${told}`,
    fix: 'Give it as "aos audit head" printed it, and for the home that it was printed for',
  });
}
