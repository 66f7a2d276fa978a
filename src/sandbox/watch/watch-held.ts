/** Files without a name, which only their being open keeps: they fill disk and memory too. */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { unlessSkipped } from './watch-folders.ts';

/** Each once, however many hold it. Undefined after each process: a pause. */
export function* heldFiles(pids: readonly number[]): Generator<Stats | undefined> {
  const seen = new Set<string>();
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    for (const name of unlessSkipped(() => readdirSync(folder)) ?? []) {
      const stats = unlessSkipped(() => statSync(`${folder}/${name}`));
      if (stats === undefined || !stats.isFile() || stats.nlink > 0) continue;
      const key = `${stats.dev}:${stats.ino}`;
      if (!seen.has(key)) yield stats;
      seen.add(key);
    }
    yield undefined;
  }
}
