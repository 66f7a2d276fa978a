/**
 * The full tier, cut into slices that take at most four minutes each on two cores. Where there is
 * not time for all, the first is the one that the tree's hash names, so that a few trees do all.
 */
import { suites } from './suites.ts';

export const longestSliceSeconds = 240;

interface SlicePlan {
  readonly suite: string;
  /** Files whose counts are cut into so many parts, each a slice. */
  readonly alone?: Readonly<Record<string, number>>;
  /** Into how many slices the other files go, by their names. */
  readonly shards: number;
  /** Into how many parts the counts of these other files are cut, instead. */
  readonly parts?: number;
}

const plans: readonly SlicePlan[] = [
  { suite: 'unit', shards: 1 },
  { suite: 'slow', shards: 3 },
  { suite: 'conformance', shards: 1 },
  { suite: 'sim', shards: 1, parts: 4 },
  {
    suite: 'crash',
    alone: {
      'tests/crash/daemon-kill.test.ts': 4,
      'tests/crash/file-agent-steps.test.ts': 1,
      'tests/crash/relay-chaos.test.ts': 4,
      'tests/crash/relay-steps.test.ts': 1,
      'tests/crash/runtime-chaos.test.ts': 3,
      'tests/crash/tool-calls.test.ts': 2,
    },
    shards: 2,
  },
  { suite: 'e2e', shards: 3 },
  { suite: 'attack', alone: { 'tests/attack/gateway-fuzz.test.ts': 2 }, shards: 3 },
  { suite: 'browser', shards: 1 },
  {
    suite: 'gate',
    alone: {
      'tests/gate/planted-faults.deep.test.ts': 1,
      'tests/promises/planted-bugs.deep.test.ts': 10,
    },
    shards: 1,
  },
];

export type Slice =
  | {
      readonly kind: 'tests';
      readonly name: string;
      readonly suite: string;
      /** Of the counts, e.g. `2/3`. */
      readonly part: string;
      /** For vitest: which files. */
      readonly args: readonly string[];
      /** Files of the suite that are in other slices. */
      readonly without: readonly string[];
    }
  | { readonly kind: 'bench'; readonly name: string };

export const slices: readonly Slice[] = [
  ...plans.flatMap(slicesOf),
  { kind: 'bench', name: 'bench' },
];

function slicesOf({ suite, alone = {}, shards, parts = 1 }: SlicePlan): Slice[] {
  if (!suites.some(({ name }) => name === suite)) throw new Error(`no suite is called "${suite}"`);
  return [
    ...Object.entries(alone).flatMap(([file, count]) =>
      fractions(count).map((part) => {
        const name = `${suite}.${(file.split('/').at(-1) ?? '').replace(/\..*/, '')}.${part}`;
        return { kind: 'tests', name, suite, part, args: [file], without: [] } as const;
      }),
    ),
    ...fractions(shards).flatMap((shard) =>
      fractions(parts).map((part) => {
        const name = `${suite}.${parts > 1 ? part : shard}`;
        const args = [`--shard=${shard}`];
        return { kind: 'tests', name, suite, part, args, without: Object.keys(alone) } as const;
      }),
    ),
  ];
}

function fractions(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${place + 1}/${count}`);
}
