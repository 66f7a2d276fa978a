/**
 * What a daemon that was killed has left of its sandboxes. All of it ends with the daemon by
 * itself (`--die-with-parent`), unless it was killed before that could be asked for.
 *
 * They are told by the pipes that they hold: the first process of a sandbox holds those of its
 * streams, and all others end with it. Programs of agents have none, and go on.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import {
  killFamily,
  type SeenProcess,
  seenProcess,
} from '../../engines/process/programs-family.ts';
import type { Clock } from '../../kernel/ports.ts';
import { unlessSkipped } from '../watch/watch-folders.ts';

/** The folder is that of the pipes; one that was closed in order is not there. False when some stay. */
export async function endLeftovers(clock: Clock, folder: string): Promise<boolean> {
  if (!existsSync(folder)) return true;
  const start = `${realpathSync(folder)}/`;
  return killFamily(clock, () => holdersBelow(start));
}

function holdersBelow(start: string): SeenProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const others = pids.filter((pid) => pid !== String(process.pid));
  return others.filter((pid) => holds(pid, start)).flatMap((pid) => seenProcess(Number(pid)) ?? []);
}

// A launcher, what starts it, and what it starts have their pipes as descriptors of one digit.
function holds(pid: string, start: string): boolean {
  const folder = `/proc/${pid}/fd`;
  const descriptors = unlessSkipped(() => readdirSync(folder)) ?? [];
  return descriptors
    .filter((name) => name.length === 1)
    .some((name) => unlessSkipped(() => readlinkSync(`${folder}/${name}`))?.startsWith(start));
}
