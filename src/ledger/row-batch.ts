/** Statements that change many rows at once, by their ids. */
import type { SqlValue, Transaction } from './ledger.ts';

/** How many rows one statement changes at most. */
export const batchRows = 256;

/** A statement with room for so many ids, which come last. */
interface SizedText {
  readonly size: number;
  readonly text: string;
}

/**
 * Few sizes, so that each is prepared once, and a single row is not looked for in a long
 * list.
 */
export function forSizes(textOf: (size: number) => string): readonly SizedText[] {
  return [1, 16, batchRows].map((size) => ({ size, text: textOf(size) }));
}

/** `$2, $3, $4` for three from the second on. */
export function places(count: number, first: number): string {
  return Array.from({ length: count }, (_, place) => `$${first + place}`).join(', ');
}

/** The ids of the rows that were changed; the statement's other parameters come first. */
export async function changeBatch<Id extends SqlValue>(
  tx: Transaction,
  texts: readonly SizedText[],
  { ids, first }: { readonly ids: readonly Id[]; readonly first: readonly SqlValue[] },
): Promise<ReadonlySet<Id>> {
  const [some] = ids;
  if (some === undefined) return new Set();
  const fitting = texts.find(({ size }) => size >= ids.length);
  if (fitting === undefined) throw new Error('a batch of rows is too large');
  // One that is named twice is changed once.
  const rest = Array<Id>(fitting.size - ids.length).fill(some);
  const rows = await tx.all<{ id: Id }>(fitting.text, [...first, ...ids, ...rest]);
  return new Set(rows.map(({ id }) => id));
}
