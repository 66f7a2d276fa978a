// One long cell must not push everybody else's neighbours off the screen.
const widest = 60;

/** Columns that line up; the last one is left as long as it is, and so is a very long cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      const width = cell.length > widest ? 0 : cell.length;
      widths[column] = Math.max(widths[column] ?? 0, width);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}
