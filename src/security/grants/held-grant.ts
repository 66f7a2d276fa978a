/** A grant in memory, with everything above it. */
import { bitsOf } from '../../kernel/capability/action-bits.ts';
import type { Constraints } from '../../kernel/capability/capability.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import type { GrantChain, GrantLink } from '../../kernel/capability/decide.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { GrantRow } from '../../ledger/grants.ts';

export interface HeldLink extends GrantLink {
  readonly principal: string;
  /** Changes once, when the commit that revokes it is on disk. */
  revoked: boolean;
}

export interface HeldGrant extends GrantChain {
  /**
   * Of a grant that nobody delegated and nobody counts, what is left to be looked at once its
   * target fits: its actions as bits, its end (undefined where it has none), and whether it was
   * revoked. All in this one place, and first in it: among very many grants, each further place
   * to look at costs more than the looking.
   */
  readonly isPlain: boolean;
  readonly actionBits: number;
  readonly expires: Instant | undefined;
  isRevoked: boolean;
  /** The next one for the same target. */
  next: HeldGrant | undefined;
  readonly id: string;
  /** Itself first, the one that nobody delegated last. */
  readonly links: readonly HeldLink[];
  /** A human has to approve every use. */
  readonly asks: boolean;
  /** A human has approved what it allows. */
  readonly approved: boolean;
  /** The links whose uses are counted. */
  readonly counted: readonly HeldLink[];
  /** Of two that allow the same, the lower one is used. */
  readonly rank: 0 | 1 | 2 | 3;
}

/** What is told of each link as it is needed: the same object for the same grant. */
export interface LinkSource {
  linkOf(row: GrantRow): HeldLink;
}

/** `rows` is the grant and what is above it, itself first. */
export function heldGrant(source: LinkSource, rows: readonly [GrantRow, ...GrantRow[]]): HeldGrant {
  const [own] = rows;
  const ownLink = source.linkOf(own);
  const links = rows.map((row) => source.linkOf(row));
  const asks = mustAsk(rows);
  const counted = links.filter(({ capability }) => isCounted(capability.constraints));
  return {
    isPlain: links.length === 1 && counted.length === 0,
    actionBits: bitsOf(ownLink.capability),
    expires: ownLink.capability.constraints.expires,
    isRevoked: ownLink.revoked,
    next: undefined,
    id: own.id,
    links,
    asks,
    approved: !asks && rows.some(({ origin }) => origin === 'approval'),
    counted,
    rank: rankOf(links, { asks, isCounted: counted.length > 0 }),
  };
}

/** What a human has approved is not asked again, whatever it was delegated from. */
function mustAsk(rows: readonly GrantRow[]): boolean {
  for (const { asks, origin } of rows) {
    if (asks === 1) return true;
    if (origin === 'approval') return false;
  }
  return false;
}

export function newLink({ id, principal, capability, revoked_at }: GrantRow): HeldLink {
  return { id, principal, capability: parseCapability(capability), revoked: revoked_at !== null };
}

function isCounted({ max, rate }: Constraints): boolean {
  return max !== undefined || rate !== undefined;
}

/** What costs nobody anything is used first. */
function rankOf(
  links: readonly HeldLink[],
  { asks, isCounted }: { readonly asks: boolean; readonly isCounted: boolean },
): HeldGrant['rank'] {
  if (asks) return 3;
  if (isCounted) return 2;
  const isFree = links.every(({ capability }) => Object.keys(capability.constraints).length === 0);
  return isFree ? 0 : 1;
}
