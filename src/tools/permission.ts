/** Whether all that a call wants to do is allowed, and under which limits. */
import type { Deed } from '../kernel/capability/capability.ts';
import type { AosError } from '../kernel/errors.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import {
  authorize,
  type Denial,
  deniedError,
  recordDenial,
  refuseTerminated,
  resourceText,
} from '../security/authorize.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';
import type { PreparedCall } from './tool.ts';

export type Permission =
  | {
      readonly kind: 'allowed';
      /** For each deed; undefined for the owner, who needs none. */
      readonly grants: readonly (HeldGrant | undefined)[];
    }
  /** A human has to be asked, for this reason. */
  | { readonly kind: 'asks'; readonly reason: string; readonly grants: readonly HeldGrant[] }
  | { readonly kind: 'denied'; readonly error: AosError };

export interface Wanted {
  readonly principal: string;
  readonly callId: string;
  readonly prepared: Pick<PreparedCall, 'deeds' | 'asksEachTime'>;
  /** What the tool says that a human has to approve. */
  readonly asks?: string | undefined;
  /** A human has said yes to this very call. */
  readonly isApproved: boolean;
  /** It was begun before: one call is one use, however often it is run. */
  readonly isCounted?: boolean | undefined;
}

/** Decides, and where the call may start, counts the uses. A denial is on record after it. */
export async function permitAll(
  grants: Grants,
  tx: Transaction,
  { principal, callId, prepared, asks, isApproved, isCounted = false }: Wanted,
): Promise<Permission> {
  const over = await refuseTerminated(tx, principal, { call: callId });
  if (over !== undefined) return { kind: 'denied', error: over };
  const found: (HeldGrant | undefined)[] = [];
  for (const deed of prepared.deeds) {
    const decision = await authorize(grants, tx, { principal, deed }, { isCounted });
    if (decision.kind === 'denied') return denied(tx, { principal, deed, callId }, decision);
    found.push(decision.grant);
  }
  const held = found.filter((grant) => grant !== undefined);
  const reason = isApproved
    ? undefined
    : await reasonToAsk(grants, tx, { principal, prepared, asks, held });
  if (reason !== undefined) return { kind: 'asks', reason, grants: held };
  const spent = isCounted ? undefined : await grants.use(tx, found);
  const deed = prepared.deeds[found.indexOf(spent)];
  if (spent !== undefined && deed !== undefined) {
    const nearest = { grant: spent.id, why: 'used-up' } as const;
    return denied(tx, { principal, deed, callId }, { kind: 'denied', nearest });
  }
  return { kind: 'allowed', grants: found };
}

async function denied(
  tx: Transaction,
  { callId, ...wish }: { readonly principal: string; readonly deed: Deed; readonly callId: string },
  denial: Denial,
): Promise<Permission> {
  await recordDenial(tx, wish, denial, { call: callId });
  return { kind: 'denied', error: deniedError(wish, denial) };
}

/** The owner is asked by nobody. What was approved for always is not asked again. */
async function reasonToAsk(
  grants: Grants,
  sql: Sql,
  {
    principal,
    prepared,
    asks,
    held,
  }: Pick<Wanted, 'principal' | 'prepared' | 'asks'> & { readonly held: readonly HeldGrant[] },
): Promise<string | undefined> {
  if (principal === 'owner') return undefined;
  const asking = held.find((grant) => grant.asks);
  const reason = asks ?? (asking && `grant ${asking.id.slice(0, 16)} asks before each use`);
  if (reason === undefined || prepared.deeds.length === 0) return reason;
  if (asks !== undefined && prepared.asksEachTime) return reason;
  for (const deed of prepared.deeds) {
    const approved = await authorize(grants, sql, { principal, deed }, { approvedOnly: true });
    if (approved.kind === 'denied') return reason;
  }
  return undefined;
}

/** For the events: what was done, and by which grants with those above them. */
export function groundsOf(
  deeds: readonly Deed[],
  grants: readonly (HeldGrant | undefined)[],
): { readonly resources: readonly string[]; readonly grants: readonly string[] } {
  return {
    resources: deeds.map(resourceText),
    grants: grants.flatMap((grant) => grant?.links.map(({ id }) => id) ?? []),
  };
}
