/**
 * Searching. The index proposes, the ledger decides: each hit is read again, and of others' only
 * what may be seen at that moment.
 */
import { AosError } from '../kernel/errors.ts';
import { Sentence } from '../kernel/language/cursor.ts';
import { takeDates } from '../kernel/language/dates.ts';
import { whenWords } from '../kernel/language/span-words.ts';
import { tokensOf } from '../kernel/language/tokens.ts';
import type {
  AlikeHit,
  IndexFound,
  IndexHit,
  MemoryReach,
  ScoreParts,
} from '../kernel/memory/index-port.ts';
import {
  type Memory,
  type MemoryKey,
  type MemoryScope,
  memoryLimits,
} from '../kernel/memory/memory.ts';
import type { Instant, TimeZone } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { type FoundMemory, foundMemories } from '../ledger/memory/found-memories.ts';
import { memoriesById } from '../ledger/memory/memories.ts';
import { memoryReach, ownPlaces } from '../security/reach.ts';
import type { MemoryActor, MemoryDeps } from './deps.ts';
import type { QueryEmbedding } from './embed-memories.ts';
import type { IndexFollower } from './follow.ts';
import { readQuery } from './search/query.ts';
import { snippetOf } from './search/snippet.ts';
import { GrantedFinds, noteSeen } from './seen.ts';
import { memoryOf, searchableText } from './store.ts';

export interface MemoryQuery {
  readonly query: string;
  /** In all of them where nothing is said. */
  readonly scope?: MemoryScope | undefined;
  readonly withoutScope?: MemoryScope | undefined;
  /** Whose: `owner` or `agent:NAME`. One's own and what is shared where nothing is said. */
  readonly of?: string | undefined;
  /** Only below this key. */
  readonly prefix?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Memories with one of these are left out. */
  readonly withoutTags?: readonly string[] | undefined;
  readonly after?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly limit?: number | undefined;
  /** `thread`: one of each conversation. */
  readonly by?: 'memory' | 'thread' | undefined;
  /** What is shown once: what says nearly the same, or only what says the very same. */
  readonly once?: 'alike' | 'equal' | undefined;
}

export interface MemoryHit {
  readonly memory: Memory;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly snippet: string;
  /** Others of its owner and scope that say nearly the same, and may be seen. */
  readonly alike: readonly MemoryKey[];
  /** There may be more of them than are named. */
  readonly hasMoreAlike: boolean;
}

export interface MemoryFound {
  readonly hits: readonly MemoryHit[];
  /** What the query said of time, in words. */
  readonly time?: string | undefined;
  /** There is no place that the caller may search. */
  readonly isNowhere?: boolean | undefined;
}

interface SearchHelp {
  readonly follower: Pick<IndexFollower, 'catchUp'>;
  readonly queries: Pick<QueryEmbedding, 'vectorOf'>;
}

const usualLimit = 10;
/** Some of what the index knows may be gone by now, or not to be seen. */
const spare = 20;
/** So many that are alike are named; each is decided about for itself. */
const mostAlike = 100;

export async function searchMemories(
  deps: MemoryDeps,
  { follower, queries }: SearchHelp,
  caller: MemoryActor,
  wanted: MemoryQuery,
): Promise<MemoryFound> {
  checkQuery(wanted.query);
  const within = await placesIn(deps, caller, wanted);
  if (within.length === 0) return { hits: [], isNowhere: true };
  await follower.catchUp();
  const { query, limit = usualLimit, by = 'memory', once } = wanted;
  const now = deps.clock.now();
  const said = timeSaid(query, { now, zone: deps.zone });
  const asked = {
    ...{ query, within, prefix: wanted.prefix, tags: wanted.tags ?? [] },
    withoutTags: wanted.withoutTags,
    ...{ after: wanted.after, before: wanted.before, likelier: said, now, by, once },
    vector: await queries.vectorOf(query, caller.signal),
  };
  for (let most = limit + spare; ; most *= 4) {
    const found = await deps.index.search({ ...asked, limit: most }, caller.signal);
    const finding = { ...found, query, limit, now };
    const hits = await deps.ledger.transact((tx) => readHits(deps, tx, caller, finding));
    if (hits !== undefined) return { hits, time: said?.words };
  }
}

function checkQuery(query: string): void {
  const isOne = query.trim() !== '' && query.length <= memoryLimits.queryCharacters;
  if (isOne && query.isWellFormed() && !query.includes('\0')) return;
  throw new AosError('memory.bad-query', {
    message: `A query has a word in it, and at most ${memoryLimits.queryCharacters} characters`,
    fix: 'Ask with a few words',
  });
}

async function placesIn(
  { grants }: MemoryDeps,
  { principal }: MemoryActor,
  { scope, withoutScope, of }: MemoryQuery,
): Promise<readonly MemoryReach[]> {
  const isMeant = (place: { readonly owner: string; readonly scope: MemoryScope }) =>
    (scope === undefined || place.scope === scope) &&
    place.scope !== withoutScope &&
    (of === undefined || place.owner === of);
  if (principal === 'owner' && of !== undefined) {
    return ownPlaces(of)
      .filter(isMeant)
      .map((place) => ({ ...place, chains: 'all' }));
  }
  return (await memoryReach(grants, principal, 'search')).filter(isMeant);
}

interface SearchFinding extends IndexFound {
  readonly query: string;
  readonly limit: number;
  readonly now: Instant;
}

/** Undefined where too few of them may be seen, and there may be more. */
async function readHits(
  deps: MemoryDeps,
  tx: Transaction,
  caller: MemoryActor,
  { hits, hasMore, query, limit, now }: SearchFinding,
): Promise<readonly MemoryHit[] | undefined> {
  const finds = new GrantedFinds(deps, caller.principal);
  const isVisible = (memory: FoundMemory) => finds.maySee(tx, memory);
  const best = await foundById(tx, hits, now);
  const groups: SeenGroup[] = [];
  for (const hit of hits) {
    if (groups.length === limit) break;
    const group = await seenOf(tx, hit, { best, now, isVisible });
    if (group !== undefined) groups.push(group);
  }
  if (groups.length < limit && hasMore) return undefined;
  const shown = await finds.count(
    tx,
    groups.flatMap(allOf).map(({ id }) => id),
  );
  const told = groups.flatMap((group) => groupOf(group, shown) ?? []);
  await noteSeen(
    tx,
    caller,
    told.flatMap(allOf).map(({ memory }) => memory),
  );
  return asHits(tx, told, { query, now });
}

type SeenMember = AlikeHit & { readonly memory: FoundMemory; readonly snippet?: string };

/** What says nearly the same: the best that may be seen, and the others that may. */
interface SeenGroup {
  readonly first: SeenMember;
  readonly alike: readonly SeenMember[];
  readonly hasMoreAlike: boolean;
}

function allOf({ first, alike }: SeenGroup): readonly SeenMember[] {
  return [first, ...alike];
}

/** What is left of it; undefined where that is nothing. */
function groupOf(group: SeenGroup, shown: ReadonlySet<number>): SeenGroup | undefined {
  const [first, ...alike] = allOf(group).filter(({ id }) => shown.has(id));
  return first && { ...group, first, alike };
}

interface HitLook {
  /** By id: what is there of the best of each. */
  readonly best: ReadonlyMap<number, FoundMemory>;
  readonly now: Instant;
  readonly isVisible: (memory: FoundMemory) => Promise<boolean>;
}

/** Undefined where none may be seen. However many may not, the next one is looked at. */
async function seenOf(
  tx: Transaction,
  hit: IndexHit,
  looking: HitLook,
): Promise<SeenGroup | undefined> {
  const seen: SeenMember[] = [];
  for await (const member of membersOf(tx, hit, looking)) {
    if (!(await looking.isVisible(member.memory))) continue;
    const [first, ...alike] = seen;
    if (first !== undefined && alike.length === mostAlike) {
      return { first, alike, hasMoreAlike: true };
    }
    seen.push(member);
  }
  const [first, ...alike] = seen;
  return first && { first, alike, hasMoreAlike: hit.hasMoreAlike };
}

/** Those that are still there, the best first. There may be very many, so that not all are read. */
async function* membersOf(
  tx: Transaction,
  { alike, ...hit }: IndexHit,
  { best, now }: HitLook,
): AsyncGenerator<SeenMember> {
  const memory = best.get(hit.id);
  if (memory !== undefined) yield { ...hit, memory };
  for (let begin = 0; begin < alike.length; begin += mostAlike) {
    const page = alike.slice(begin, begin + mostAlike);
    const found = await foundById(tx, page, now);
    for (const member of page) {
      const other = found.get(member.id);
      if (other !== undefined) yield { ...member, memory: other };
    }
  }
}

async function foundById(
  tx: Transaction,
  hits: readonly AlikeHit[],
  now: Instant,
): Promise<ReadonlyMap<number, FoundMemory>> {
  const ids = hits.map(({ id }) => id);
  return new Map((await foundMemories(tx, ids, now)).map((each) => [each.id, each]));
}

/** Only what is shown is read: values may be long. */
async function asHits(
  tx: Transaction,
  groups: readonly SeenGroup[],
  { query, now }: Pick<SearchFinding, 'query' | 'now'>,
): Promise<readonly MemoryHit[]> {
  const ids = groups.map(({ first }) => first.id);
  const rows = await memoriesById(tx, ids, { now, at: null });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return groups.flatMap(({ first: { id, score, parts, snippet }, alike, hasMoreAlike }) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    // Where it stands for another one, the index has made none of it.
    const shown = snippet ?? snippetOf(searchableText(row), readQuery(query));
    return {
      memory: memoryOf(row),
      score,
      parts,
      snippet: shown,
      alike: alike.map((each) => each.memory),
      hasMoreAlike,
    };
  });
}

interface TimeSaid {
  readonly after?: Instant;
  readonly before?: Instant;
  readonly words: string;
}

/** Undefined where it says nothing of time, or nothing that is clear. */
export function timeSaid(
  query: string,
  today: { readonly now: Instant; readonly zone: TimeZone },
): TimeSaid | undefined {
  const dates = takeDates(new Sentence(tokensOf(query), today), today);
  if (dates === undefined || dates.isAmbiguous) return undefined;
  const { after, before } = dates;
  return {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    words: whenWords(dates, today),
  };
}
