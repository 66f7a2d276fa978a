/** How transfers are put into words. */

const units = ['kB', 'MB', 'GB', 'TB'] as const;

/** As files are measured: `2.3 MB` is 2,300,000 bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let amount = bytes / 1000;
  let unit = 0;
  // Rounded first: 999,990 bytes are 1.0 MB and not 1000.0 kB.
  while (Number(amount.toFixed(1)) >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount.toFixed(1)} ${units[unit]}`;
}
