/**
 * Which rows of a ground have what was asked for.
 *
 * W1. A word that very many have says little: of those only the newest are read, those that have a
 *     rarer word too, and those that have all such words. How many there are is guessed from how
 *     close together the newest stand. So a query takes about as long among a hundred thousand as
 *     among a thousand.
 */
import { type Ground, none } from '../../memory/search/ground.ts';
import { allOf, anyOf, matchOf } from '../../memory/search/match.ts';
import type { QueryUnit } from '../../memory/search/query.ts';
import type { UnitRows } from '../../memory/search/word-scores.ts';
import type { MemoryStore } from './memory-store.ts';

const mostRows = 2000;

export interface FoundUnit extends UnitRows {
  /** How many have it, about. */
  readonly count: number;
}

/** In the order of the units. */
export function rowsWith(
  store: MemoryStore,
  ground: Ground,
  units: readonly QueryUnit[],
): readonly FoundUnit[] {
  const texts = units.map((unit) => matchOf(unit, 'text'));
  const newest = texts.map((match) => rowsMatching(store, ground, match));
  const more = moreOfCommon(store, ground, { texts, newest });
  return units.map((unit, index) => {
    const text = [...(newest[index] ?? []), ...(more[index] ?? [])];
    const isCommon = newest[index]?.length === mostRows;
    // For what is common even a look at where else it stands would take long.
    const rowsIn = (column: 'again' | 'label') =>
      isCommon ? [] : rowsMatching(store, ground, matchOf(unit, column));
    const [again, label] = [text.length === 0 ? [] : rowsIn('again'), rowsIn('label')];
    const count = Math.max(countOf(ground, newest[index] ?? []), label.length);
    return { text: [...new Set(text)], again, label, isCommon, count };
  });
}

/** The newest first. */
function rowsMatching(store: MemoryStore, ground: Ground, match: string): readonly number[] {
  const lowest = ground.numberOf(0);
  const rows: number[] = [];
  for (let below = ground.numberOf(ground.rows - 1); ; ) {
    const page = store.lists<[number: number]>(
      `select rowid from words where words match ? and rowid between ? and ?
       order by rowid desc limit ${mostRows}`,
      ...[match, lowest, below],
    );
    for (const [number] of page) {
      const row = ground.rowOf(number);
      if (row !== none) rows.push(row);
      if (rows.length === mostRows) return rows;
    }
    if (page.length < mostRows) return rows;
    below = (page.at(-1)?.[0] ?? lowest) - 1;
  }
}

interface NewestRows {
  readonly texts: readonly string[];
  readonly newest: readonly (readonly number[])[];
}

/** W1 */
function moreOfCommon(
  store: MemoryStore,
  ground: Ground,
  { texts, newest }: NewestRows,
): readonly (readonly number[])[] {
  const isCommon = (index: number) => newest[index]?.length === mostRows;
  const common = texts.filter((_, index) => isCommon(index));
  const rare = texts.filter((_, index) => !isCommon(index));
  const withAll = common.length > 1 ? rowsMatching(store, ground, allOf(common)) : [];
  return texts.map((text, index) => {
    if (!isCommon(index)) return [];
    const withRare = rare.length === 0 ? [] : [allOf([anyOf(rare), text])];
    return [...withAll, ...withRare.flatMap((match) => rowsMatching(store, ground, match))];
  });
}

function countOf(ground: Ground, rows: readonly number[]): number {
  const last = rows.at(-1);
  if (last === undefined || rows.length < mostRows) return rows.length;
  return (rows.length * ground.rows) / (ground.rows - last);
}
