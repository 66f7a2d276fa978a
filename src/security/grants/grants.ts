/**
 * May they? Every grant is a row; what a principal holds is kept in memory from its first
 * question on, so that an answer costs no look at the ledger.
 *
 * G1. What is in memory follows the commits of this process, which is the only writer:
 *     all code that changes grants does it through `change`, which changes memory after the commit
 *     and before the caller is answered.
 * G2. A revocation counts from its commit on. While one is under way, a decision that rests
 *     on that grant looks at its row, inside the transaction that it is made in: so nothing
 *     is allowed behind a revocation that was written before it.
 * G3. The right is the AND over the chain: a grant whose parent is revoked or has expired is
 *     worth nothing. Rows below one that is revoked are marked with it.
 * G4. Uses are counted in rows, in the transaction of what they are for, for every link that
 *     has a `max` or a `rate`.
 */
import {
  type Action,
  bitOf,
  hasToBeNamed,
  isSpent,
  type NearMiss,
  type RecentUses,
  whyNot,
  withMore,
} from '../../kernel/capability/capability.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { fileAgentName } from '../../kernel/files/file-agent-name.ts';
import { newId } from '../../kernel/new-id.ts';
import type { Clock, Instant, Random } from '../../kernel/ports.ts';
import type { Ledger, Sql, Transaction } from '../../ledger/ledger.ts';
import {
  addUses,
  type GrantRow,
  grantsAbove,
  grantsHeldBy,
  insertGrant,
  isRevoked,
  markRevoked,
  markRevokedBelow,
  type NewGrant,
  usesOf,
} from '../../ledger/security/grants.ts';
import {
  type HeldGrant,
  type HeldLink,
  heldGrant,
  isOver,
  type LinkSource,
  newLink,
  ranks,
  Shelf,
} from './shelf.ts';

export interface GrantsDeps {
  readonly ledger: Pick<Ledger, 'transact' | 'committed'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

export type Decision =
  /** Undefined for the owner, and for the system itself, who need no grant. */
  | { readonly kind: 'allowed'; readonly grant: HeldGrant | undefined }
  | { readonly kind: 'denied'; readonly nearest: Miss | undefined };

export interface Miss {
  readonly grant: string;
  /** `paused` is its holder, whatever it holds; then no grant is named. */
  readonly why: NearMiss['why'] | 'used-up' | 'asks' | 'paused';
}

/** What a transaction changes; memory follows when it is on disk. */
export interface GrantChanges {
  give(grant: Omit<NewGrant, 'id' | 'created_at'>): Promise<GrantRow>;
  /** With everything that was delegated from it. Tells how many that were. */
  revoke(id: string): Promise<{ readonly isNew: boolean; readonly below: number }>;
}

export interface DecideOptions {
  /** Only by a grant that a human approved. */
  readonly approvedOnly?: boolean;
  /** Its use was counted before: that it is used up by now does not matter. */
  readonly isCounted?: boolean;
  /** By any but these. */
  readonly without?: ReadonlySet<string>;
}

export class Grants implements LinkSource {
  readonly #deps: GrantsDeps;
  readonly #holders = new Map<string, Holdings>();
  readonly #links = new Map<string, HeldLink>();
  /** Grants that are being revoked, and by how many at once: G2. */
  readonly #inQuestion = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  readonly #paused = new Set<string>();
  /** Counts the changes, so that what was read before one is not kept after it. */
  #changes = 0;

  constructor(deps: GrantsDeps) {
    this.#deps = deps;
  }

  /** While it is paused, nothing that it holds counts. */
  setPaused(principal: string, isPaused: boolean): void {
    if (isPaused) this.#paused.add(principal);
    else this.#paused.delete(principal);
  }

  isPaused(principal: string): boolean {
    return this.#paused.has(principal);
  }

  async decide(
    sql: Sql,
    principal: string,
    action: Action,
    { approvedOnly = false, isCounted = false, without }: DecideOptions = {},
  ): Promise<Decision> {
    if (principal === 'owner' || principal === 'system') return ownersRight;
    if (this.#paused.has(principal)) return { kind: 'denied', nearest: ofPaused };
    const now = this.#deps.clock.now();
    const holdings = this.#holders.get(principal) ?? (await this.#load(principal));
    const bit = wantsMore(action) ? 0 : bitOf(action.resource, action.action);
    let nearest: Miss | undefined;
    for (const first of holdings.listsFor(action)) {
      for (let grant: HeldGrant | undefined = first; grant !== undefined; grant = grant.next) {
        if ((approvedOnly && !grant.approved) || without?.has(grant.id)) continue;
        const isPlain = isPlainlyAllowed(grant, bit, now);
        if (isPlain && this.#inQuestion.size === 0) return { kind: 'allowed', grant };
        const miss = isPlain ? undefined : whyNot(grant, action, now);
        const why =
          miss?.why ?? (await this.#whyNotByRows(sql, grant, isCounted ? undefined : now));
        if (why === undefined) return { kind: 'allowed', grant };
        if (why === 'revoked' || why === 'expired') holdings.metDead();
        if (nearest === undefined || nearest.why === 'action') {
          nearest = { grant: grant.id, why };
        }
      }
    }
    if (holdings.isWornOut) this.#holders.delete(principal);
    return { kind: 'denied', nearest };
  }

  /** All that the principal holds now, in no order; nothing while it is paused. */
  async heldBy(principal: string): Promise<readonly HeldGrant[]> {
    if (this.#paused.has(principal)) return [];
    const holdings = this.#holders.get(principal) ?? (await this.#load(principal));
    const now = this.#deps.clock.now();
    return [...holdings.all()].filter(({ links }) => !links.some((link) => isOver(link, now)));
  }

  /** Of what the principal holds, what is not used up. */
  async usableBy(principal: string): Promise<readonly HeldGrant[]> {
    const { ledger, clock } = this.#deps;
    const usable: HeldGrant[] = [];
    for (const grant of await this.heldBy(principal)) {
      const uses = { now: clock.now(), more: 1 };
      const used = grant.counted.map((link) => isUsedUp(ledger.committed, link, uses));
      if (!(await Promise.all(used)).includes(true)) usable.push(grant);
    }
    return usable;
  }

  /** What only the rows can tell. */
  async #whyNotByRows(
    sql: Sql,
    grant: HeldGrant,
    countingAt: Instant | undefined,
  ): Promise<Miss['why'] | undefined> {
    const isInQuestion = grant.links.some(({ id }) => this.#inQuestion.has(id));
    if (isInQuestion && (await hasRevoked(sql, grant))) return 'revoked';
    if (countingAt === undefined) return undefined;
    for (const link of grant.counted) {
      if (await isUsedUp(sql, link, { now: countingAt, more: 1 })) return 'used-up';
    }
    return undefined;
  }

  /**
   * G4. Counts one use of each, in the transaction in which it was decided. Resolves to one
   * that would be used more often than it may; then nothing is counted.
   */
  async use(
    tx: Transaction,
    grants: readonly (HeldGrant | undefined)[],
  ): Promise<HeldGrant | undefined> {
    const now = this.#deps.clock.now();
    const counted = new Map<HeldLink, number>();
    for (const grant of grants) {
      for (const link of grant?.counted ?? []) counted.set(link, (counted.get(link) ?? 0) + 1);
    }
    for (const [link, more] of counted) {
      if (await isUsedUp(tx, link, { now, more })) {
        return grants.find((grant) => grant?.counted.includes(link));
      }
    }
    for (const [link, more] of counted) await countUses(tx, link, { now, more });
    return undefined;
  }

  /** G1. `revoking` are all that `work` may revoke. */
  async change<T>(
    work: (tx: Transaction, changes: GrantChanges) => Promise<T>,
    revoking: readonly string[] = [],
  ): Promise<T> {
    let given: GrantRow[] = [];
    let revoked: string[] = [];
    this.#question(revoking, 1);
    try {
      const result = await this.#deps.ledger.transact((tx) => {
        // A transaction may run twice; what the first run noted never happened.
        given = [];
        revoked = [];
        return work(tx, this.#changesOf(tx, { given, revoked, revoking }));
      });
      this.#follow(given, revoked);
      return result;
    } finally {
      this.#question(revoking, -1);
    }
  }

  linkOf(row: GrantRow): HeldLink {
    const known = this.#links.get(row.id);
    if (known !== undefined) return known;
    const link = newLink(row);
    this.#links.set(row.id, link);
    return link;
  }

  /** Called after every revocation. */
  onRevoked(look: () => void): Disposable {
    this.#listeners.add(look);
    return { [Symbol.dispose]: () => void this.#listeners.delete(look) };
  }

  #changesOf(
    tx: Transaction,
    noted: { given: GrantRow[]; revoked: string[]; revoking: readonly string[] },
  ): GrantChanges {
    const { clock, random } = this.#deps;
    return {
      give: async (facts) => {
        checkNeverNetwork(facts);
        const now = clock.now();
        const grant = { ...facts, id: newId(now, random), created_at: now };
        await insertGrant(tx, grant);
        const row = { ...grant, revoked_at: null, uses: 0, recent: null };
        noted.given.push(row);
        return row;
      },
      revoke: async (id) => {
        if (!noted.revoking.includes(id)) throw new Error('a grant is revoked without notice');
        const now = clock.now();
        const isNew = await markRevoked(tx, id, now);
        // A decision on one of these rests on the one above, which is in question.
        const below = await markRevokedBelow(tx, id, now);
        noted.revoked.push(...(isNew ? [id] : []), ...below);
        return { isNew, below: below.length };
      },
    };
  }

  #follow(given: readonly GrantRow[], revoked: readonly string[]): void {
    if (given.length + revoked.length === 0) return;
    this.#changes++;
    for (const id of revoked) {
      const link = this.#links.get(id);
      if (link === undefined) continue;
      link.revoked = true;
      // Code that holds the link sees that; it is not looked up any more.
      this.#links.delete(id);
      this.#holders.get(link.principal)?.markRevoked(id);
    }
    for (const row of given) this.#place(row);
    if (revoked.length > 0) for (const look of this.#listeners) look();
  }

  #place(row: GrantRow): void {
    const holdings = this.#holders.get(row.principal);
    if (holdings === undefined) return;
    // A delegation rests on grants of others, which are not all in memory.
    if (row.parent === null) holdings.add(heldGrant(this, [row]));
    else this.#holders.delete(row.principal);
  }

  async #load(principal: string): Promise<Holdings> {
    const { committed } = this.#deps.ledger;
    for (;;) {
      const changes = this.#changes;
      const held = await grantsHeldBy(committed, principal);
      const above = held.some(({ parent }) => parent !== null)
        ? await grantsAbove(committed, principal)
        : [];
      const byId = new Map([...above, ...held].map((row) => [row.id, row]));
      // G1: nothing may have changed between the look and this moment.
      if (changes !== this.#changes) continue;
      const grants = held.map((row) => heldGrant(this, chainFrom(row, byId)));
      const now = this.#deps.clock.now();
      const alive = grants.filter(({ links }) => !links.some((link) => isOver(link, now)));
      const holdings = new Holdings(alive);
      this.#holders.set(principal, holdings);
      return holdings;
    }
  }

  #question(ids: readonly string[], by: 1 | -1): void {
    for (const id of ids) {
      const count = (this.#inQuestion.get(id) ?? 0) + by;
      if (count === 0) this.#inQuestion.delete(id);
      else this.#inQuestion.set(id, count);
    }
  }
}

/** It works on the files of all callers, and so has no way out: not by a grant, nor by a delegation. */
function checkNeverNetwork({ principal, capability }: Pick<NewGrant, 'principal' | 'capability'>) {
  if (principal !== `agent:${fileAgentName}` || !isOfNetwork(capability)) return;
  throw new AosError('capability.bad', {
    message: 'The file agent never makes network calls, and cannot hold a grant for that',
    fix: 'Give it to another agent',
  });
}

function isOfNetwork(capability: string): boolean {
  const { resource } = parseCapability(capability);
  return resource === 'http' || resource === 'shell';
}

function isPlainlyAllowed({ plainBits, expires }: HeldGrant, bit: number, now: Instant): boolean {
  return (plainBits & bit) !== 0 && (expires === undefined || expires > now);
}

/** Then a target in which the action lies is not enough. */
function wantsMore(action: Action): boolean {
  if (hasToBeNamed(action) || ('subtree' in action && action.subtree === true)) return true;
  return action.resource === 'http' && action.mustNameHost === true;
}

const ofPaused: Miss = { grant: '', why: 'paused' };
const ownersRight: Decision = { kind: 'allowed', grant: undefined };

function chainFrom(
  row: GrantRow,
  byId: ReadonlyMap<string, GrantRow>,
): readonly [GrantRow, ...GrantRow[]] {
  const above: GrantRow[] = [];
  for (let id = row.parent; id !== null; ) {
    const parent = byId.get(id);
    if (parent === undefined) throw new Error('a grant that was delegated has lost its parent');
    above.push(parent);
    id = parent.parent;
  }
  return [row, ...above];
}

async function hasRevoked(sql: Sql, { links }: HeldGrant): Promise<boolean> {
  for (const { id } of links) if (await isRevoked(sql, id)) return true;
  return false;
}

// Everything that one principal holds.

const fewestDead = 64;

class Holdings {
  /** By rank: what costs nothing is found first. */
  readonly #shelves = Array.from({ length: ranks }, () => new Shelf());
  readonly #grants = new Map<string, HeldGrant>();
  /** How many were met that allow nothing any more. */
  #dead = 0;

  constructor(grants: Iterable<HeldGrant>) {
    for (const grant of grants) this.add(grant);
  }

  /** Nothing happens when it is there already. */
  add(grant: HeldGrant): void {
    if (this.#grants.has(grant.id)) return;
    this.#grants.set(grant.id, grant);
    this.#shelves[grant.rank]?.add(grant);
  }

  /** The lists of grants that have the action in their target, in the order in which to try them. */
  listsFor(action: Action): readonly HeldGrant[] {
    const found: HeldGrant[] = [];
    for (const shelf of this.#shelves) shelf.listsFor(action, found);
    return found;
  }

  all(): Iterable<HeldGrant> {
    return this.#grants.values();
  }

  markRevoked(id: string): void {
    const grant = this.#grants.get(id);
    if (grant !== undefined) grant.plainBits = 0;
  }

  metDead(): void {
    this.#dead++;
  }

  /** So many are dead that it is better to read them anew. */
  get isWornOut(): boolean {
    return this.#dead > fewestDead && this.#dead > this.#grants.size / 2;
  }
}

// How often a link of a chain was used, as its row tells (G4).

interface Uses {
  readonly now: Instant;
  readonly more: number;
}

/** Whether so many more would be too many. */
async function isUsedUp(
  sql: Sql,
  { id, capability }: HeldLink,
  { now, more }: Uses,
): Promise<boolean> {
  const { max, rate } = capability.constraints;
  const { uses, recent } = await usesOf(sql, id);
  if (max !== undefined && uses + more > max) return true;
  return rate !== undefined && isSpent(usesIn(recent), rate, now, more);
}

async function countUses(
  tx: Transaction,
  { id, capability }: HeldLink,
  { now, more }: Uses,
): Promise<void> {
  const { rate } = capability.constraints;
  const { recent } = await usesOf(tx, id);
  const after = rate === undefined ? undefined : withMore(usesIn(recent), rate, now, more);
  await addUses(tx, id, { more, recent: after === undefined ? null : JSON.stringify(after) });
}

// Written by `countUses` alone.
function usesIn(recent: string | null): RecentUses {
  return recent === null ? [] : (JSON.parse(recent) as RecentUses);
}
