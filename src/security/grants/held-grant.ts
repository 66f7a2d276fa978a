/** A grant in memory, with everything above it. */
import {
  bitsOf,
  type Constraints,
  type GrantChain,
  type GrantLink,
} from '../../kernel/capability/capability.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { GrantRow } from '../../ledger/security/grants.ts';

export interface HeldLink extends GrantLink {
  readonly principal: string;
  /** The agent that gave it; undefined where none did. */
  readonly giver: string | undefined;
  /** Changes once, when the commit that revokes it is on disk. */
  revoked: boolean;
}

export interface HeldGrant extends GrantChain {
  /**
   * Its actions as bits, where nothing but its end is left to be looked at once its target
   * fits: it is not delegated, not counted, lists no programs, and it is not revoked.
   * Else 0. First, because
   * among very many grants each further place to look at costs more than the looking.
   */
  plainBits: number;
  /** Undefined where it has no end. */
  readonly expires: Instant | undefined;
  /** Of one that hangs in a tree of paths as a twig: what is left of its path (shelf.ts). */
  tail: readonly string[];
  hasBelow: boolean;
  /** The next one for the same target. */
  next: HeldGrant | undefined;
  readonly id: string;
  /** Itself first, the one that was not delegated last. */
  readonly links: readonly HeldLink[];
  /** A human has to approve every use. */
  readonly asks: boolean;
  /** A human has approved what it allows. */
  readonly approved: boolean;
  /** The links whose uses are counted. */
  readonly counted: readonly HeldLink[];
  /** Of two that allow the same, the lower one is used. */
  readonly rank: number;
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
  const { expires, allowlist } = ownLink.capability.constraints;
  const isAlone = links.length === 1 && counted.length === 0;
  const isPlain = isAlone && allowlist === undefined && !ownLink.revoked;
  return {
    plainBits: isPlain ? bitsOf(ownLink.capability) : 0,
    expires,
    tail: noNames,
    hasBelow: false,
    next: undefined,
    id: own.id,
    links,
    asks,
    approved: !asks && rows.some(({ origin }) => origin === 'approval'),
    counted,
    rank: rankOf(links, { asks, isCounted: counted.length > 0 }),
  };
}

const noNames: readonly string[] = [];

/** What a human has approved is not asked again, whatever it was delegated from. */
function mustAsk(rows: readonly GrantRow[]): boolean {
  for (const { asks, origin } of rows) {
    if (asks === 1) return true;
    if (origin === 'approval') return false;
  }
  return false;
}

export function newLink(row: GrantRow): HeldLink {
  const { id, principal, granted_by } = row;
  const giver = granted_by.startsWith('agent:') ? granted_by : undefined;
  const capability = parseCapability(row.capability);
  return { id, principal, giver, capability, revoked: row.revoked_at !== null };
}

/** Whether it allows nothing any more. */
export function isOver({ revoked, capability }: GrantLink, now: Instant): boolean {
  const { expires } = capability.constraints;
  return revoked || (expires !== undefined && expires <= now);
}

function isCounted({ max, rate }: Constraints): boolean {
  return max !== undefined || rate !== undefined;
}

/** The most bytes that one use may have; undefined where nothing limits them. */
export function mostBytesOf({ links }: HeldGrant): number | undefined {
  const sizes = links.map(({ capability }) => capability.constraints.sizeBytes);
  const given = sizes.filter((size) => size !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** How many there are. */
export const ranks = 8;

/**
 * What costs nothing is used first; and before what was delegated what was not, or
 * an agent that delegates could end what rests on its grant unasked.
 */
function rankOf(
  links: readonly HeldLink[],
  { asks, isCounted }: { readonly asks: boolean; readonly isCounted: boolean },
): number {
  const delegated = links.length > 1 ? 1 : 0;
  if (asks) return 6 + delegated;
  if (isCounted) return 4 + delegated;
  const isFree = links.every(({ capability }) => Object.keys(capability.constraints).length === 0);
  return (isFree ? 0 : 2) + delegated;
}
