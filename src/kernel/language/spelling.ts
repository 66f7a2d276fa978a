/** Letters to add, drop, change or swap with the next; names are short. */
export function distance(first: string, second: string): number {
  if (Math.abs(first.length - second.length) > 2 || first.length > 60) return 9;
  const rows = [Array.from({ length: second.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= first.length; i++) {
    const row = [i];
    for (let j = 1; j <= second.length; j++) {
      const isSame = first[i - 1] === second[j - 1];
      const above = rows[i - 1] ?? [];
      const swapped = first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1];
      row[j] = Math.min(
        (above[j] ?? 9) + 1,
        (row[j - 1] ?? 9) + 1,
        (above[j - 1] ?? 9) + (isSame ? 0 : 1),
        swapped ? (rows[i - 2]?.[j - 2] ?? 9) + 1 : 99,
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 9;
}
