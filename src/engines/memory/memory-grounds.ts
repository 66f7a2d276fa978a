/**
 * What may be found by a query, read from the index and kept for the next query. All that limits
 * a query (grants, a key, tags, time) limits this, so that nothing that is left out counts. Of each
 * key the newest version that counts at the moment is in it.
 */
import { coversPath, type PathTarget } from '../../kernel/capability/capability.ts';
import type { IndexQuery, MemoryReach } from '../../kernel/memory/index-port.ts';
import type { Instant } from '../../kernel/ports.ts';
import {
  CountingGround,
  type CountingRow,
  type CountingTime,
  countsAt,
} from '../../memory/search/counting-ground.ts';
import type { Ground } from '../../memory/search/ground.ts';
import type { IndexedMemoryRow, MemoryStore } from './memory-store.ts';
import type { WrittenRow } from './memory-writing.ts';

export interface PlacedGround {
  readonly place: number;
  readonly ground: Ground;
}

type Limits = Pick<IndexQuery, 'prefix' | 'tags' | 'withoutTags' | 'after' | 'before'>;
type Chains = MemoryReach['chains'];

interface KeptGround {
  readonly place: number;
  readonly isWhole: boolean;
  readonly counting: CountingGround;
}

/** Some forty bytes are kept of each row. */
const mostKeptRows = 1_000_000;

export class Grounds {
  readonly #store: MemoryStore;
  /** By what it is of, the one that was used last at the end. */
  readonly #kept = new Map<string, KeptGround>();

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  /** Those that have something in them. */
  within({
    within,
    prefix,
    tags,
    withoutTags,
    after,
    before,
    now,
  }: IndexQuery): readonly PlacedGround[] {
    const limits = { prefix, tags, withoutTags, after, before };
    const places = Map.groupBy(within, ({ owner, scope }) => `${scope} ${owner}`);
    return [...places.values()].flatMap((reaches) => {
      const [first] = reaches;
      const place = first === undefined ? undefined : this.#placeOf(first);
      if (place === undefined) return [];
      const ground = this.#groundOf({ place, chains: joined(reaches), limits, now });
      return ground.size === 0 ? [] : [{ place, ground }];
    });
  }

  /** What was written since, in its order. */
  follow(written: readonly WrittenRow[]): void {
    const places = new Set(
      written.flatMap(({ removed, added, retimed }) => {
        return [removed?.place, added?.place, retimed?.place];
      }),
    );
    for (const [key, { place, isWhole, counting }] of this.#kept) {
      if (!places.has(place) || (isWhole && follows(counting, place, written))) continue;
      this.#kept.delete(key);
    }
  }

  clear(): void {
    this.#kept.clear();
  }

  #placeOf({ owner, scope }: MemoryReach): number | undefined {
    return this.#store.get<{ id: number }>(
      'select id from place where owner = ? and scope = ?',
      ...[owner, scope],
    )?.id;
  }

  #groundOf(wanted: WantedGround): Ground {
    const { place, chains, limits, now } = wanted;
    const key = JSON.stringify([place, chains, limits]);
    const kept = this.#kept.get(key)?.counting;
    this.#kept.delete(key);
    const isWhole = chains === 'all' && conditionsOf(limits).length === 0;
    const counting = kept?.moveTo(now) === true ? kept : readGround(this.#store, wanted);
    this.#kept.set(key, { place, isWhole, counting });
    this.#dropTooMany();
    return counting.ground;
  }

  #dropTooMany(): void {
    let rows = this.#kept.values().reduce((sum, { counting }) => sum + counting.ground.rows, 0);
    for (const [key, { counting }] of this.#kept) {
      if (rows <= mostKeptRows || this.#kept.size === 1) return;
      this.#kept.delete(key);
      rows -= counting.ground.rows;
    }
  }
}

/** Whether the ground could follow. */
function follows(counting: CountingGround, place: number, written: readonly WrittenRow[]): boolean {
  const areFollowed = written.every(({ removed, added, retimed, hasOthers }) => {
    const isHere = [removed, added, retimed].some((row) => row?.place === place);
    if (!isHere) return true;
    if (hasOthers === true) return false;
    if (removed?.place === place) counting.remove(removed.number);
    if (retimed?.place === place) return counting.setTime(retimed.number, timeOf(retimed));
    return added?.place !== place || counting.add(countingRow(added));
  });
  return areFollowed && !counting.ground.isWorn;
}

function countingRow(row: IndexedMemoryRow): CountingRow {
  return { ...row, validFrom: row.valid_from, ...timeOf(row) };
}

function timeOf({ counts_from, counts_to }: IndexedMemoryRow): CountingTime {
  return { countsFrom: counts_from, countsTo: counts_to };
}

/** A chain that leaves everything open is every key. */
function joined(reaches: readonly MemoryReach[]): Chains {
  const chains = reaches.map((reach) => reach.chains);
  const isAll = chains.some(
    (each) => each === 'all' || each.some((chain) => chain.every(isEverything)),
  );
  return isAll ? 'all' : chains.flatMap((each) => (each === 'all' ? [] : each));
}

function isEverything({ segments, subtree }: PathTarget): boolean {
  return subtree && segments.length === 0;
}

interface WantedGround {
  readonly place: number;
  readonly chains: Chains;
  readonly limits: Limits;
  readonly now: Instant;
}

type RowValues = [
  number: number,
  key: string,
  thread: string | null,
  length: number,
  validFrom: number,
  speaker: string | null,
  asks: 0 | 1,
  countsFrom: number | null,
  countsTo: number | null,
];

type VersionValues = [
  number: number,
  key: string,
  countsFrom: number | null,
  countsTo: number | null,
];

function readGround(
  store: MemoryStore,
  { place, chains, limits, now }: WantedGround,
): CountingGround {
  const conditions = conditionsOf(limits);
  const text = `
    select number, key, thread, length, valid_from, speaker, asks, counts_from, counts_to
    from memory
    where ${['place = ?', ...conditions.map(({ sql }) => sql)].join(' and ')} order by number`;
  const values = conditions.flatMap((condition) => condition.values);
  const counting = new CountingGround(now);
  const counts = newestVersions(store, { place, now }, counting);
  for (const row of store.eachList<RowValues>(text, place, ...values)) {
    const [number, key] = row;
    if (counts.has(key) && counts.get(key) !== number) continue;
    if (reaches(chains, key)) counting.add(rowOf(row));
  }
  return counting;
}

/** Of keys with several versions, whatever limits the query: which one counts, if one does. */
function newestVersions(
  store: MemoryStore,
  { place, now }: Pick<WantedGround, 'place' | 'now'>,
  counting: CountingGround,
): ReadonlyMap<string, number | undefined> {
  const counts = new Map<string, number | undefined>();
  const several = `select number, key, counts_from, counts_to from memory where place = ? and key in
    (select key from memory where place = ? group by key having count(*) > 1) order by number`;
  const rows = store.eachList<VersionValues>(several, place, place);
  for (const [number, key, countsFrom, countsTo] of rows) {
    counting.noteVersion({ countsFrom, countsTo });
    counts.set(key, countsAt({ countsFrom, countsTo }, now) ? number : counts.get(key));
  }
  return counts;
}

function rowOf(row: RowValues): CountingRow {
  const [number, , thread, length, validFrom, speaker, asks, countsFrom, countsTo] = row;
  return { number, thread, length, validFrom, speaker, asks, countsFrom, countsTo };
}

function reaches(chains: Chains, key: string): boolean {
  if (chains === 'all') return true;
  const action = { resource: 'memory', action: 'search', path: key.split('/') } as const;
  return chains.some((chain) => chain.every((target) => coversPath(target, action)));
}

interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

function conditionsOf(limits: Limits): readonly Condition[] {
  const { prefix = '', tags, withoutTags = [], after, before } = limits;
  const key = prefix.replace(/\/+$/, '');
  const below = `(key = ? or (key > ? || '/' and key < ? || '0'))`;
  return [
    ...(key === '' ? [] : [{ sql: below, values: [key, key, key] }]),
    ...tags.map((tag) => ({
      sql: 'exists (select 1 from json_each(memory.tags) where value = ?)',
      values: [tag],
    })),
    ...withoutTags.map((tag) => ({
      sql: 'not exists (select 1 from json_each(memory.tags) where value = ?)',
      values: [tag],
    })),
    ...(after === undefined ? [] : [{ sql: 'valid_from >= ?', values: [after] }]),
    ...(before === undefined ? [] : [{ sql: 'valid_from < ?', values: [before] }]),
  ];
}
