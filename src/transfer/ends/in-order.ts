/** Many pieces of work, a few of them under way at once, begun and ended in their order. */
export interface Steps<Slot, Result> {
  /** Resolves when the next one may begin; its result, then or later, is handed to `end`. */
  begin(slot: Slot, index: number): Promise<{ readonly result: Promise<Result> }>;
  end(result: Result, slot: Slot, index: number): Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

interface Begun<Slot, Result> {
  readonly slot: Slot;
  readonly index: number;
  readonly result: Promise<Result>;
}

/** Every slot has one piece at a time. When something fails, nothing further is begun. */
export async function inOrder<Slot, Result>(
  slots: readonly Slot[],
  count: number,
  { begin, end, signal }: Steps<Slot, Result>,
): Promise<void> {
  const free = [...slots];
  const begun: Begun<Slot, Result>[] = [];
  try {
    for (let index = 0; index < count || begun.length > 0; ) {
      signal?.throwIfAborted();
      const slot = index < count ? free.pop() : undefined;
      if (slot !== undefined) {
        const { result } = await begin(slot, index);
        // Heard of when its turn comes; until then a failure of it is nobody's.
        result.catch(() => {});
        begun.push({ slot, index, result });
        index++;
        continue;
      }
      const oldest = begun.shift();
      if (oldest === undefined) throw new Error('there is work and no slot for it');
      await end(await oldest.result, oldest.slot, oldest.index);
      free.push(oldest.slot);
    }
  } finally {
    // Somebody may still be writing into a slot.
    await Promise.allSettled(begun.map(({ result }) => result));
  }
}
