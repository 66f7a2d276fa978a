/** Numbers, texts and tables as a person reads them. */
import { must } from '../../kernel/must.ts';

export function durationWords(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([number]) => number > 0);
  // Two units are as exact as a person wants.
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return shown.map(([number, unit]) => `${number} ${unit}`).join(' ');
}

export function bytesWords(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit]}`;
}

/** `counted(1, 'event')` is "1 event", of 2 it is "2 events". */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Without the blanks at the end of each line that an empty last column leaves. */
export function trimLines(text: string): string {
  return text.replaceAll(/ +$/gm, '');
}

/** The words of another program or person, set apart from what is said about them. */
export function indented(text: string): string {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

// One long cell must not push the other columns off the screen.
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
          column === row.length - 1
            ? cell
            : cell.padEnd(must(widths[column], 'the width of a column')),
        )
        .join('  '),
    )
    .join('\n');
}

/** For an option that may be given several times. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
