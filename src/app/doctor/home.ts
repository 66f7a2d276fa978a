import { dirname, join } from 'node:path';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskEntry, DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { checkLockFile } from '../home/home-lock.ts';
import { describeFullDisk, isFull } from './disk.ts';
import type { DoctorVerdict, Patient } from './finding.ts';
import { daemonLogName, foreignNames, isOwnHome, ownFolders, trialName } from './modes.ts';

// Linux gives a socket's path 108 bytes with a closing zero, macOS 104.
const longestHome = 103 - '/run/aos.sock'.length;

/** Can the home folder be written, or made? It is tried, not guessed from modes. */
export async function checkHome({ settings, disk, usage }: Patient): Promise<DoctorVerdict> {
  const { home } = settings;
  const there = await disk.stat(home);
  const folder = there === undefined ? await nearestFolder(disk, dirname(home)) : home;
  let foreign: DoctorVerdict | undefined;
  try {
    // Before anything is tried: what is another user's is not touched, not even for a moment.
    foreign = there === undefined ? undefined : judgeContents(home, await disk.list(home));
    if (foreign?.state === 'failed') return foreign;
    const room = await usage();
    if (isFull(room)) {
      const { is, fix } = await describeFullDisk({ disk }, home, room);
      return { state: 'failed', says: `the disk under the home folder ${is}`, fix };
    }
    // A folder, because it can be made and removed without leaving a trace in either case.
    const trial = join(folder, trialName(process.pid));
    await disk.makeFolder(trial);
    await disk.remove(trial);
  } catch (error) {
    return notWritable(home, error);
  }
  const wrong = judgeLength(home) ?? (await judgePlaces(disk, home));
  if (wrong !== undefined) return wrong;
  // Throws, in words, when it is not one that can be taken.
  await checkLockFile(disk, home);
  if (foreign !== undefined) return foreign;
  return {
    state: 'ok',
    says:
      there === undefined ? `${home} is not there yet and can be made` : `${home} can be written`,
  };
}

/** The closest parent that exists: what is not there yet will be made in it. */
async function nearestFolder(view: DiskView, path: string): Promise<string> {
  if (path === dirname(path) || (await exists(view, path))) return path;
  return nearestFolder(view, dirname(path));
}

async function exists(view: DiskView, path: string): Promise<boolean> {
  try {
    return (await view.stat(path)) !== undefined;
  } catch (error) {
    // A file in the middle of the path: nothing below it exists.
    if (error instanceof AosError && error.code === 'disk.not-a-folder') return false;
    throw error;
  }
}

function notWritable(home: string, error: unknown): DoctorVerdict {
  const why = error instanceof AosError ? error.message : String(error);
  return {
    state: 'failed',
    says: `the home folder ${quote(home)} cannot be written: ${why}`,
    fix: 'make it writable for yourself, or choose another: export AOS_HOME=~/agents',
  };
}

/** Is what stands in the home folder Agent OS's alone? Undefined when it is. */
export function judgeContents(home: string, names: readonly string[]): DoctorVerdict | undefined {
  const [foreign] = foreignNames(names);
  if (foreign === undefined) return undefined;
  if (isOwnHome(names)) {
    return {
      state: 'warning',
      says: `${quote(join(home, foreign))} is not Agent OS's, which leaves it alone`,
      fix: 'move it elsewhere: the home folder is for Agent OS only',
    };
  }
  return {
    state: 'failed',
    says: `${quote(home)} holds what is not Agent OS's, such as ${quote(foreign)}`,
    fix: 'choose a folder of its own: export AOS_HOME=~/.agent-relay',
  };
}

/** Is there room for the daemon's socket behind the home folder's path? Undefined when there is. */
export function judgeLength(home: string): DoctorVerdict | undefined {
  if (Buffer.byteLength(home) <= longestHome) return undefined;
  return {
    state: 'failed',
    says: `${home} is too long a path for the daemon's socket, which may have ${longestHome} bytes before it`,
    fix: 'export AOS_HOME=~/.agent-relay',
  };
}

/** Every folder in the home that is made before anything works in it, parents first. */
export const preparedFolders: readonly string[] = [
  ...ownFolders,
  join('run', 'agents'),
  join('run', 'bodies'),
];

/** Does something else stand where a folder, or the log, is to be? Undefined when not. */
async function judgePlaces(disk: DiskView, home: string): Promise<DoctorVerdict | undefined> {
  for (const name of preparedFolders) {
    const wrong = await judgePlace(disk, join(home, name), 'folder');
    if (wrong !== undefined) return wrong;
  }
  return judgePlace(disk, join(home, 'logs', daemonLogName), 'file');
}

async function judgePlace(
  disk: DiskView,
  path: string,
  wanted: 'folder' | 'file',
): Promise<DoctorVerdict | undefined> {
  const there = await disk.stat(path);
  if (there === undefined || there.kind === wanted) return undefined;
  return { state: 'failed', ...wrongPlace(path, wanted, there.kind) };
}

const kindWords = {
  file: 'a file',
  folder: 'a folder',
  symlink: 'a symlink',
  other: 'a device or pipe',
} as const;

/** What is told when something else stands at a place of ours. */
export function wrongPlace(
  path: string,
  wanted: 'folder' | 'file',
  kind: DiskEntry['kind'] | undefined,
): { readonly says: string; readonly fix: string } {
  const found = kind === undefined ? 'something else' : kindWords[kind];
  return {
    says: `${quote(path)} must be ${kindWords[wanted]}, and ${found} stands there`,
    fix: `Move it away; the ${wanted} is made by itself`,
  };
}

// Two watches an agent (its outbox and outbox/.pending), and room for editors and
// build tools, which draw on the same limits.
const enough = { watches: 8192, instances: 128 };
const wanted = { watches: 524_288, instances: 1024 };

/** Can folders be watched? It is tried; the limits say how long that will hold. */
export async function checkInotify({
  settings,
  disk,
  fileWatching,
}: Patient): Promise<DoctorVerdict> {
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
