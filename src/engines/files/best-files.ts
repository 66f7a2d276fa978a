/** The first files in the order that was asked for, of however many there are. */
import { composed } from '../../kernel/files/glob-name.ts';
import type { LookRequest, SeenFile } from '../../kernel/files/look.ts';

type SortOrder = LookRequest['sort'];

/** What is compared: of names a text, of everything else a number. */
export type Key = string | number;

interface Kept<Item> {
  readonly key: Key;
  readonly item: Item;
}

/** Some more than are wanted are kept, so that they are seldom put in order. */
const spare = 64;

/** The first so many in the order that was asked for, of however many there are. */
export class BestFiles<Item> {
  readonly #limit: number;
  readonly #compareKeys: (one: Key, other: Key) => number;
  readonly #compareItems: (one: Item, other: Item) => number;
  #kept: Kept<Item>[] = [];
  /** Whatever comes after this is not among the first. */
  #last: Key | undefined;

  /** Where the keys are the same, `compareItems` decides. */
  constructor(
    limit: number,
    order: SortOrder['order'],
    compareItems: (one: Item, other: Item) => number,
  ) {
    this.#limit = limit;
    this.#compareKeys = compareIn(order);
    this.#compareItems = compareItems;
  }

  /** Asked first, because for most of very many the answer is no. */
  wants(key: Key): boolean {
    return this.#last === undefined ? this.#limit > 0 : this.#compareKeys(key, this.#last) <= 0;
  }

  add(key: Key, item: Item): void {
    this.#kept.push({ key, item });
    if (this.#kept.length >= 2 * this.#limit + spare) this.#cut();
  }

  /** In order. */
  items(): readonly Item[] {
    this.#cut();
    return this.#kept.map(({ item }) => item);
  }

  #cut(): void {
    this.#kept.sort(
      (one, other) =>
        this.#compareKeys(one.key, other.key) || this.#compareItems(one.item, other.item),
    );
    this.#kept.length = Math.min(this.#kept.length, this.#limit);
    if (this.#kept.length === this.#limit) this.#last = this.#kept.at(-1)?.key;
  }
}

function compareIn(order: SortOrder['order']): (one: Key, other: Key) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (one, other) => (one === other ? 0 : one < other ? -sign : sign);
}

/** How names are ordered: without regard to capital letters. */
export function nameKey(name: string): string {
  return composed(name).toLowerCase();
}

export function keyOf(file: SeenFile, by: SortOrder['by']): Key {
  if (by === 'size') return file.sizeBytes;
  if (by === 'modified') return file.modifiedAt;
  if (by === 'created') return file.createdAt;
  if (by === 'taken') return file.takenAt ?? file.modifiedAt;
  return nameKey(file.path.slice(file.path.lastIndexOf('/') + 1));
}

export function compareFiles({ by, order }: SortOrder): (one: SeenFile, other: SeenFile) => number {
  const compareKeys = compareIn(order);
  return (one, other) => compareKeys(keyOf(one, by), keyOf(other, by)) || comparePaths(one, other);
}

export function comparePaths(
  { path: one }: { readonly path: string },
  { path: other }: { readonly path: string },
): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
