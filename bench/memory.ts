/** Remembering: what is found again, by how much an embedder helps, and how long it takes. */
import type { Bench, Sides, Target } from './frame.ts';
import { memoryGrowthBenches } from './memory-growth.ts';
import { measureRecall, type Recall } from './memory-recall.ts';
import { memoryStoreBenches } from './memory-store.ts';

export interface MemoryBenchOptions {
  /** Dialogues with questions, as memory-dialogues.ts reads them. */
  readonly data?: string | undefined;
  readonly embedder?: string | undefined;
}

/** What is found is a share of what there is, and no time: the floor is all of it. */
const floorIs = 'all of them';

export function memoryBenches({ data, embedder }: MemoryBenchOptions): readonly Bench[] {
  const measure = data === undefined ? undefined : measureOnce(data, embedder);
  const skip = measure === undefined ? 'needs --data FILE' : undefined;
  const recallBench = (what: keyof Recall, unit: string, target: Target): Bench => ({
    ...{ name: `memory.${what}`, unit, floorIs, target, rounds: 1, skip },
    prepare: async () => shareOf((await measure?.())?.[what]),
  });
  return [
    recallBench('turn10', 'of the turns with the answer, among ten', '>=0.73'),
    recallBench('session5all', 'of the questions with all sessions among five', '>=0.84'),
    recallBench('session5any', 'of the questions with a session among five', '>=0.93'),
    ...(embedder === undefined ? [] : [embedderBench(data, embedder, skip)]),
    ...memoryGrowthBenches,
    ...memoryStoreBenches,
  ];
}

function embedderBench(
  data: string | undefined,
  embedder: string | undefined,
  skip: string | undefined,
): Bench {
  return {
    ...{ name: 'memory.embedder', unit: 'more of the turns with it than without', floorIs, skip },
    ...{ target: '>=0.02', rounds: 1 },
    prepare: async () => {
      if (data === undefined) return shareOf(undefined);
      const [alone, helped] = [await measureRecall(data), await measureOnce(data, embedder)()];
      return shareOf(helped.turn10 - alone.turn10);
    },
  };
}

function embedderOf(name: string | undefined): 'use-lite' | undefined {
  if (name === undefined || name === 'use-lite') return name;
  throw new Error(`There is no embedder "${name}" for benches.\n  try: use-lite`);
}

/** All of its figures come of one run. */
function measureOnce(data: string, embedder: string | undefined): () => Promise<Recall> {
  let recall: Promise<Recall> | undefined;
  return () => {
    recall ??= measureRecall(data, { embedder: embedderOf(embedder) });
    return recall;
  };
}

function shareOf(share = Number.NaN): Sides {
  return {
    value: async () => share,
    floor: async () => 1,
    [Symbol.asyncDispose]: async () => {},
  };
}
