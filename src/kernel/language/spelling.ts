/** Letters to add, drop, change or swap with the next; names are short. */
import { must } from '../must.ts';

export function distance(first: string, second: string): number {
  if (Math.abs(first.length - second.length) > 2 || first.length > 60) return 9;
  const rows = [Array.from({ length: second.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => must(rows[i]?.[j], 'a distance of beginnings');
  for (let i = 1; i <= first.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= second.length; j++) {
      const isSame = first[i - 1] === second[j - 1];
      const isSwapped = first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : 99,
      );
    }
  }
  return at(first.length, second.length);
}
