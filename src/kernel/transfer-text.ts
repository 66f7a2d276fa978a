/** How transfers are put into words. */

const steps = [
  { from: 1e12, unit: 'TB' },
  { from: 1e9, unit: 'GB' },
  { from: 1e6, unit: 'MB' },
  { from: 1e3, unit: 'KB' },
] as const;

/** `2.3 MB`: one decimal, by thousands. */
export function sizeText(bytes: number): string {
  const step = steps.find(({ from }) => bytes >= from);
  if (step === undefined) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return `${(bytes / step.from).toFixed(1)} ${step.unit}`;
}
