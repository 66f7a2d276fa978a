/** Whether all that a call wants to do is allowed, and under which limits. */
import type { Deed } from '../kernel/capability/capability.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { authorize, resourceText } from '../security/authorize.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';
import {
  findGrants,
  linksOf,
  type PermitResult,
  refuseTerminated,
  useGrants,
} from '../security/permit.ts';
import type { PreparedCall } from './tool.ts';

export type Permission =
  | PermitResult
  /** A human has to be asked, for this reason. */
  | { readonly kind: 'asks'; readonly reason: string; readonly grants: readonly HeldGrant[] };

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
  const facts = { call: callId };
  const uses = isCounted ? 'counted' : 'count';
  const request = { principal, deeds: prepared.deeds, facts, uses, canAsk: true } as const;
  const over = await refuseTerminated(tx, principal, facts);
  if (over !== undefined) return { kind: 'denied', error: over };
  const found = await findGrants(grants, tx, request);
  if (found.kind === 'denied') return found;
  const held = found.grants.filter((grant) => grant !== undefined);
  const reason = isApproved
    ? undefined
    : await reasonToAsk(grants, tx, { principal, prepared, asks, held });
  if (reason !== undefined) return { kind: 'asks', reason, grants: held };
  return useGrants(grants, tx, request, found.grants);
}

/** The owner needs no approval. What was approved for always is not asked again. */
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
  return { resources: deeds.map(resourceText), grants: linksOf(grants) };
}
