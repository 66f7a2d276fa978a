/**
 * Permits one use, in the middle of something where no human can be asked: the decision, the
 * count and the record are one transaction.
 */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { presenceOf } from '../ledger/agents.ts';
import type { Ledger, Sql, Transaction } from '../ledger/ledger.ts';
import {
  authorize,
  type Denial,
  deniedError,
  recordDenial,
  resourceText,
  type Wish,
  withoutAsking,
} from './authorize.ts';
import type { Grants } from './grants/grants.ts';
import type { HeldGrant } from './grants/held-grant.ts';

export interface PermitDeps {
  readonly ledger: Pick<Ledger, 'transact'>;
  readonly grants: Grants;
}

export type PermittedUse =
  /** Undefined for the owner, who needs no grant. */
  | { readonly kind: 'allowed'; readonly grant: HeldGrant | undefined }
  | { readonly kind: 'denied'; readonly error: AosError };

/** A denial is on record after it. `facts` say in the event what the use belongs to. */
export async function permitUse(
  { ledger, grants }: PermitDeps,
  wish: Wish,
  facts: object,
): Promise<PermittedUse> {
  return ledger.transact(async (tx) => {
    const over = await refuseTerminated(tx, wish.principal, facts);
    if (over !== undefined) return { kind: 'denied', error: over };
    const found = withoutAsking(await authorize(grants, tx, wish));
    if (found.kind === 'allowed' && (await grants.use(tx, [found.grant])) === undefined) {
      const links = found.grant?.links.map(({ id }) => id) ?? [];
      const { principal: actor, deed } = wish;
      const data = { ...facts, grants: links };
      await tx.record({ actor, kind: 'capability.used', subject: resourceText(deed), data });
      return found;
    }
    const denial = found.kind === 'denied' ? found : usedUp(found.grant);
    await recordDenial(tx, wish, denial, facts);
    return { kind: 'denied', error: deniedError(wish, denial) };
  });
}

/** Whether it would be permitted. Nothing is counted or recorded. */
export async function wouldPermit(grants: Grants, sql: Sql, wish: Wish): Promise<boolean> {
  if (await isTerminated(sql, wish.principal)) return false;
  return withoutAsking(await authorize(grants, sql, wish)).kind === 'allowed';
}

/** Whatever it holds: it is over. The denial is on record after it. */
export async function refuseTerminated(
  tx: Transaction,
  principal: string,
  facts: object,
): Promise<AosError | undefined> {
  if (!(await isTerminated(tx, principal))) return undefined;
  const data = { ...facts, nearest: 'terminated' };
  await tx.record({ actor: principal, kind: 'capability.denied', subject: principal, data });
  const name = principal.replace(/^agent:/, '');
  return new AosError('capability.denied', {
    message: `Agent ${quote(name)} was terminated, and may do nothing any more`,
    fix: `aos register ${name}, which brings it back`,
    details: { why: 'terminated' },
  });
}

async function isTerminated(sql: Sql, principal: string): Promise<boolean> {
  const name = /^agent:(.+)$/.exec(principal)?.[1];
  return name !== undefined && (await presenceOf(sql, name)) === 'terminated';
}

function usedUp(grant: HeldGrant | undefined): Denial {
  const nearest = grant && ({ grant: grant.id, why: 'used-up' } as const);
  return { kind: 'denied', nearest };
}
