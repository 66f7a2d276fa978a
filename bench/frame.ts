/**
 * How a bench is run: the thing and its floor take turns, round by round, so that a
 * busy moment of the machine hits both. What counts is the ratio of the medians.
 */

export interface Bench {
  /** `area.what`, as in `cli.version`. */
  readonly name: string;
  readonly unit: string;
  /** The same work done barely, in words. */
  readonly floorIs: string;
  /** Of value over floor: `<=2.0` or `>=0.5`; `printed` where it is only told. */
  readonly target: Target;
  readonly rounds: number;
  /** Why it cannot be run this time: it is told, counted, and no miss. */
  readonly skip?: string | undefined;
  /** Runs once before the rounds, and is disposed of after them. */
  prepare(): Promise<Sides>;
}

export type Target = `${'<=' | '>='}${number}` | 'printed';

export interface Sides extends AsyncDisposable {
  value(): Promise<number>;
  floor(): Promise<number>;
}

export interface BenchResult {
  readonly bench: string;
  readonly value: number;
  readonly unit: string;
  readonly floor: number;
  readonly floorIs: string;
  readonly ratio: number;
  /** The middle half of the rounds' own ratios. */
  readonly spread: readonly [number, number];
  readonly rounds: number;
  readonly target: Target;
  readonly pass: boolean;
}

export async function runBench(bench: Bench): Promise<BenchResult> {
  await using sides = await bench.prepare();
  // Once each, so that the first round does not pay for a cold disk.
  await sides.value();
  await sides.floor();
  const values: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    // Who goes first changes, because the second finds the caches warm.
    if (round % 2 === 0) {
      values.push(await sides.value());
      floors.push(await sides.floor());
    } else {
      floors.push(await sides.floor());
      values.push(await sides.value());
    }
  }
  return summarize(bench, values, floors);
}

export function summarize(
  { name, unit, floorIs, target }: Bench,
  values: readonly number[],
  floors: readonly number[],
): BenchResult {
  const value = quantile(values, 0.5);
  const floor = quantile(floors, 0.5);
  const ratio = value / floor;
  const ratios = values.map((measured, round) => measured / (floors[round] ?? Number.NaN));
  return {
    bench: name,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    floorIs,
    ratio: rounded(ratio),
    spread: [rounded(quantile(ratios, 0.25)), rounded(quantile(ratios, 0.75))],
    rounds: values.length,
    target,
    pass: meets(ratio, target),
  };
}

/** A ratio that is no number, because nothing was measured, meets no target. */
export function meets(ratio: number, target: Target): boolean {
  if (target === 'printed') return !Number.isNaN(ratio);
  const limit = Number(target.slice(2));
  return target.startsWith('<=') ? ratio <= limit : ratio >= limit;
}

export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

function rounded(number: number): number {
  return Number(number.toPrecision(4));
}
