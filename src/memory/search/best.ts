/** The best of very many, the best first. Few of them are sorted. */
export function bestOf<Item>(
  items: readonly Item[],
  count: number,
  scoreOf: (item: Item) => number,
  /** As in sorting, for those with the same score. */
  amongEquals: (one: Item, other: Item) => number = () => 0,
): Item[] {
  const least = items.length > 2 * count ? leastOf(items, count, scoreOf) : 0;
  return items
    .filter((item) => scoreOf(item) >= least)
    .sort((one, other) => scoreOf(other) - scoreOf(one) || amongEquals(one, other))
    .slice(0, count);
}

const steps = 4096;

/** A score that so many have, and not many more: they are counted by steps. */
function leastOf<Item>(
  items: readonly Item[],
  count: number,
  scoreOf: (item: Item) => number,
): number {
  const most = items.reduce((highest, item) => Math.max(highest, scoreOf(item)), 0);
  if (most === 0) return 0;
  const counts = new Uint32Array(steps + 1);
  for (const item of items) {
    const step = Math.floor((scoreOf(item) / most) * steps);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let step = steps;
  for (let left = count; step > 0; step--) {
    left -= counts[step] ?? 0;
    if (left <= 0) break;
  }
  return (step / steps) * most;
}
