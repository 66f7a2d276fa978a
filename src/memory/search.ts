/**
 * Searching. The index proposes, the ledger decides: each hit is read again, and of others' only
 * what may be seen at that moment.
 */
import { AosError } from '../kernel/errors.ts';
import type { IndexHit, MemoryReach, ScoreParts } from '../kernel/memory/index-port.ts';
import { type Memory, type MemoryScope, memoryLimits } from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { memoriesById } from '../ledger/memories.ts';
import { memoryReach, ownPlaces } from '../security/memory-reach.ts';
import type { MemoryCaller, MemoryDeps } from './deps.ts';
import type { IndexFollower } from './follow.ts';
import { GrantUses, maySee } from './may-see.ts';
import { memoryOf } from './memory-of.ts';
import { noteSeen } from './seen.ts';
import { timeSaid } from './time-said.ts';

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
}

export interface MemoryHit {
  readonly memory: Memory;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly snippet: string;
  /** How many more say nearly the same. */
  readonly alike: number;
}

export interface MemoryFound {
  readonly hits: readonly MemoryHit[];
  /** What the query said of time, in words. */
  readonly time?: string | undefined;
  /** There is no place that the caller may search. */
  readonly isNowhere?: boolean | undefined;
}

const usualLimit = 10;
/** Some of what the index knows may be gone by now. */
const spare = 20;

export async function searchMemories(
  deps: MemoryDeps,
  follower: Pick<IndexFollower, 'catchUp'>,
  caller: MemoryCaller,
  wanted: MemoryQuery,
): Promise<MemoryFound> {
  checkQuery(wanted.query);
  const within = await placesIn(deps, caller, wanted);
  if (within.length === 0) return { hits: [], isNowhere: true };
  await follower.catchUp();
  const { query, limit = usualLimit, by = 'memory' } = wanted;
  const now = deps.clock.now();
  const said = timeSaid(query, { now, zone: deps.zone });
  const found = await deps.index.search(
    {
      ...{ query, within, prefix: wanted.prefix, tags: wanted.tags ?? [] },
      withoutTags: wanted.withoutTags,
      ...{ after: wanted.after, before: wanted.before, likelier: said, now, by },
      vector: await vectorOf(deps, query, caller.signal),
      limit: limit + spare,
    },
    caller.signal,
  );
  const hits = await deps.ledger.transact((tx) =>
    readHits(deps, tx, caller, { wanted, found, now }),
  );
  return { hits, time: said?.words };
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
  { principal }: MemoryCaller,
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

/** Where there is no vector the words decide alone. */
async function vectorOf(
  deps: MemoryDeps,
  query: string,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const embedder = deps.embedder();
  if (embedder === undefined) return undefined;
  try {
    const [vector] = await embedder.embed([query], signal);
    return vector;
  } catch (failure) {
    signal.throwIfAborted();
    deps.log.warn(
      { err: failure },
      'a query could not be embedded; it is searched for by its words',
    );
    return undefined;
  }
}

interface Finding {
  readonly wanted: MemoryQuery;
  readonly found: readonly IndexHit[];
  readonly now: Instant;
}

async function readHits(
  deps: MemoryDeps,
  tx: Transaction,
  caller: MemoryCaller,
  { wanted, found, now }: Finding,
): Promise<readonly MemoryHit[]> {
  const rows = await memoriesById(
    tx,
    found.flatMap(({ id, alike }) => [id, ...alike]),
    { now, at: null },
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const uses = new GrantUses();
  const hits: MemoryHit[] = [];
  for (const { id, score, parts, snippet, alike } of found) {
    if (hits.length === (wanted.limit ?? usualLimit)) break;
    const row = byId.get(id);
    const sight = { principal: caller.principal, action: 'search', uses } as const;
    if (row === undefined || !(await maySee(deps, tx, { ...sight, place: row }))) continue;
    const memory = memoryOf(row);
    const more = alike.filter((other) => byId.has(other)).length;
    hits.push({ memory, score, parts, snippet, alike: more });
  }
  await uses.count(deps, tx);
  await noteSeen(
    tx,
    caller,
    hits.map(({ memory }) => memory),
  );
  return hits;
}
