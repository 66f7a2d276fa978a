/**
 * Sharing: a grant to read what lies under a key, given by the owner of the memory, and taken back
 * at any time. Nothing is copied.
 */
import { printCapability } from '../kernel/capability/capability-text.ts';
import { AosError } from '../kernel/errors.ts';
import { checkMemoryKey, headOf, type MemoryKey } from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { type GrantRow, grantsHeldBy, memoryShares } from '../ledger/security/grants.ts';
import { checkReceived, hasExpired } from '../security/grants/capability-manager.ts';
import { unknownAgent } from '../security/register.ts';
import type { MemoryDeps } from './deps.ts';

export interface SharedMemory {
  /** What is shared, with all that lies below it. */
  readonly place: MemoryKey;
  /** With whom: the name of an agent. */
  readonly to: string;
  readonly expires?: Instant | undefined;
}

type ShareDeps = Pick<MemoryDeps, 'ledger' | 'grants' | 'clock'>;

/** A caller that shares the same again gets the same grant. */
export async function shareMemory(
  { grants, clock }: ShareDeps,
  share: SharedMemory,
  actor: string,
): Promise<GrantRow> {
  checkMemoryKey(share.place.key);
  if (share.expires !== undefined && share.expires <= clock.now()) throw overAlready();
  return grants.change(async (tx, changes) => {
    const principal = await holderIn(tx, share);
    const capability = capabilityOf(share, principal);
    const held = await grantsHeldBy(tx, principal);
    const same = held.find((each) => each.capability === capability && each.granted_by === actor);
    if (same !== undefined) return same;
    await checkReceived(tx, { to: share.to, giver: actor }, clock.now());
    const facts = { parent: null, granted_by: actor, origin: 'delegation', asks: 0 } as const;
    const row = await changes.give({ principal, capability, ...facts });
    const data = { grant: row.id, capability };
    await tx.record({ actor, kind: 'memory.shared', subject: principal, data });
    return row;
  });
}

/** Takes back every share of just this key with this agent. */
export async function unshareMemory(
  { ledger, grants }: ShareDeps,
  share: Omit<SharedMemory, 'expires'>,
  actor: string,
): Promise<readonly GrantRow[]> {
  const principal = `agent:${share.to}`;
  // With which each begins: they differ in when they expire.
  const prefix = capabilityOf(share, principal);
  const isMeant = ({ capability, granted_by, principal: holder }: GrantRow) =>
    holder === principal &&
    capability.startsWith(prefix) &&
    (actor === 'owner' || granted_by === actor);
  const given = (await grantsHeldBy(ledger.committed, principal)).filter(isMeant);
  return grants.change(
    async (tx, changes) => {
      const revoked: GrantRow[] = [];
      for (const grant of (await grantsHeldBy(tx, principal)).filter(isMeant)) {
        const { below } = await changes.revoke(grant.id);
        const data = { grant: grant.id, capability: grant.capability, below };
        await tx.record({ actor, kind: 'memory.unshared', subject: principal, data });
        revoked.push(grant);
      }
      if (revoked.length === 0) throw notShared(share);
      return revoked;
    },
    given.map(({ id }) => id),
  );
}

const mostShares = 1000;

/** What a principal has shared and counts, the newest first; of all principals for the owner. */
export async function sharesOf(
  { ledger, clock }: ShareDeps,
  giver: string,
): Promise<readonly GrantRow[]> {
  const whose = giver === 'owner' ? undefined : giver;
  const shares = await memoryShares(ledger.committed, whose, mostShares);
  return shares.filter((row) => !hasExpired(row, clock.now()));
}

async function holderIn(tx: Transaction, { to, place }: SharedMemory): Promise<string> {
  if ((await findAgent(tx, to)) === undefined) throw unknownAgent(to);
  const principal = `agent:${to}`;
  if (principal === place.owner) throw toItself(to);
  return principal;
}

function capabilityOf(share: SharedMemory, principal: string): string {
  const { head } = headOf(principal, share.place);
  const segments = [...head, ...share.place.key.split('/')].map((name) => ({ name }));
  return printCapability({
    resource: 'memory',
    target: { kind: 'path', segments, subtree: true },
    actions: ['read', 'search'],
    constraints: share.expires === undefined ? {} : { expires: share.expires },
  });
}

function toItself(name: string): AosError {
  return new AosError('memory.bad-value', {
    message: `Agent ${quote(name)} remembers that itself already`,
    fix: 'Share it with another agent',
  });
}

function overAlready(): AosError {
  return new AosError('memory.bad-value', {
    message: 'That share would be over before it began',
    fix: 'Say a time that is still to come',
  });
}

function notShared({ place, to }: Omit<SharedMemory, 'expires'>): AosError {
  return new AosError('memory.not-shared', {
    message: `${quote(place.key)} is not shared with ${quote(to)}`,
    fix: 'aos memory shares',
  });
}
