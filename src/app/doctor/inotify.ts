import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import type { Patient, Verdict } from './finding.ts';
import { nearestFolder } from './home.ts';

// Two watches an agent (its outbox and outbox/.pending), and room for editors and
// build tools, which draw on the same limits.
const enough = { watches: 8192, instances: 128 };
const wanted = { watches: 524_288, instances: 1024 };

/** Can folders be watched? It is tried; the limits say how long that will hold. */
export async function checkInotify({ settings, disk, fileWatching }: Patient): Promise<Verdict> {
  const probe = fileWatching.probe(await nearestFolder(disk, settings.home));
  if (probe.kind === 'failed') {
    return {
      state: 'failed',
      says: `folders cannot be watched here: ${probe.says}`,
      fix: 'mend the home folder first: aos doctor home',
    };
  }
  if (process.platform !== 'linux') return { state: 'ok', says: 'folders can be watched' };
  if (probe.kind === 'exhausted') {
    return {
      state: 'failed',
      says: `no more folders can be watched: this user's inotify ${probe.limit} are used up`,
      fix: raise(probe.limit),
    };
  }
  const watches = await limit(disk, 'max_user_watches');
  const instances = await limit(disk, 'max_user_instances');
  const says = `${watches} watches and ${instances} instances of inotify are allowed`;
  if (watches < enough.watches) return { state: 'warning', says, fix: raise('watches') };
  if (instances < enough.instances) return { state: 'warning', says, fix: raise('instances') };
  return { state: 'ok', says };
}

async function limit(disk: Patient['disk'], name: string): Promise<number> {
  const bytes = await readWholeFile(disk, `/proc/sys/fs/inotify/${name}`, 64);
  return Number(new TextDecoder().decode(bytes));
}

function raise(what: 'watches' | 'instances'): string {
  return `sudo sysctl fs.inotify.max_user_${what}=${wanted[what]}`;
}
