/**
 * What may be found by a query, read from the index and kept for the next query. All that limits
 * a query (grants, a key, tags, time) limits this, so that nothing that is left out counts.
 */
import type { PathTarget } from '../../../kernel/capability/capability.ts';
import { coversPath } from '../../../kernel/capability/decide.ts';
import type { IndexQuery, MemoryReach } from '../../../kernel/memory/index-port.ts';
import { Ground, type GroundRow } from '../../../memory/search/ground.ts';
import type { MemoryStore } from './memory-store.ts';
import type { WrittenRow } from './memory-writing.ts';

export interface PlacedGround {
  readonly place: number;
  readonly ground: Ground;
}

type Limits = Pick<IndexQuery, 'prefix' | 'tags' | 'withoutTags' | 'after' | 'before'>;
type Chains = MemoryReach['chains'];

interface KeptGround extends PlacedGround {
  readonly isWhole: boolean;
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
  }: IndexQuery): readonly PlacedGround[] {
    const limits = { prefix, tags, withoutTags, after, before };
    const places = Map.groupBy(within, ({ owner, scope }) => `${scope} ${owner}`);
    return [...places.values()].flatMap((reaches) => {
      const [first] = reaches;
      const place = first === undefined ? undefined : this.#placeOf(first);
      if (place === undefined) return [];
      const ground = this.#groundOf(place, joined(reaches), limits);
      return ground.size === 0 ? [] : [{ place, ground }];
    });
  }

  /** What was written since, in its order. */
  follow(written: readonly WrittenRow[]): void {
    const places = new Set(written.flatMap(({ removed, added }) => [removed?.place, added?.place]));
    for (const [key, { place, isWhole, ground }] of this.#kept) {
      if (!places.has(place) || (isWhole && follows(ground, place, written))) continue;
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

  #groundOf(place: number, chains: Chains, limits: Limits): Ground {
    const key = JSON.stringify([place, chains, limits]);
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    const isWhole = chains === 'all' && conditionsOf(limits).length === 0;
    const ground = kept?.ground ?? readGround(this.#store, { place, chains, limits });
    this.#kept.set(key, { place, isWhole, ground });
    this.#dropTooMany();
    return ground;
  }

  #dropTooMany(): void {
    let rows = this.#kept.values().reduce((sum, { ground }) => sum + ground.rows, 0);
    for (const [key, { ground }] of this.#kept) {
      if (rows <= mostKeptRows || this.#kept.size === 1) return;
      this.#kept.delete(key);
      rows -= ground.rows;
    }
  }
}

/** Whether the ground could follow. */
function follows(ground: Ground, place: number, written: readonly WrittenRow[]): boolean {
  const areAdded = written.every(({ removed, added }) => {
    if (removed?.place === place) ground.remove(removed.number);
    return added?.place !== place || ground.add({ ...added, validFrom: added.valid_from });
  });
  return areAdded && !ground.isWorn;
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

interface Wanted {
  readonly place: number;
  readonly chains: Chains;
  readonly limits: Limits;
}

type RowValues = [
  number: number,
  key: string,
  thread: string | null,
  length: number,
  validFrom: number,
  speaker: string | null,
  asks: 0 | 1,
];

function readGround(store: MemoryStore, { place, chains, limits }: Wanted): Ground {
  const conditions = conditionsOf(limits);
  const text = `
    select number, key, thread, length, valid_from, speaker, asks from memory
    where ${['place = ?', ...conditions.map(({ sql }) => sql)].join(' and ')} order by number`;
  const values = conditions.flatMap((condition) => condition.values);
  const ground = new Ground();
  for (const row of store.eachList<RowValues>(text, place, ...values)) {
    if (reaches(chains, row[1])) ground.add(groundRow(row));
  }
  return ground;
}

function groundRow([number, , thread, length, validFrom, speaker, asks]: RowValues): GroundRow {
  return { number, thread, length, validFrom, speaker, asks };
}

function reaches(chains: Chains, key: string): boolean {
  if (chains === 'all') return true;
  const deed = { resource: 'memory', action: 'search', path: key.split('/') } as const;
  return chains.some((chain) => chain.every((target) => coversPath(target, deed)));
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
