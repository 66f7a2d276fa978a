import { dirname, join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { checkLockFile } from '../home/home-lock.ts';
import type { Patient, Verdict } from './finding.ts';
import { describeFullDisk, isFull } from './full-disk.ts';
import { foreignNames, isOwnHome, trialName } from './own-names.ts';
import { judgePlaces } from './places.ts';

// Linux gives a socket's path 108 bytes with a closing zero, macOS 104.
const longestHome = 103 - '/run/aos.sock'.length;

/** Can the home folder be written, or made? It is tried, not guessed from modes. */
export async function checkHome({ settings, disk, usage }: Patient): Promise<Verdict> {
  const { home } = settings;
  const there = await disk.stat(home);
  const folder = there === undefined ? await nearestFolder(disk, dirname(home)) : home;
  let foreign: Verdict | undefined;
  try {
    // Before anything is tried: what is somebody else's is not touched, not even for a moment.
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
export async function nearestFolder(view: DiskView, path: string): Promise<string> {
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

function notWritable(home: string, error: unknown): Verdict {
  const why = error instanceof AosError ? error.message : String(error);
  return {
    state: 'failed',
    says: `the home folder ${quote(home)} cannot be written: ${why}`,
    fix: 'make it writable for yourself, or choose another: export AOS_HOME=~/agents',
  };
}

/** Is what stands in the home folder Agent OS's alone? Undefined when it is. */
export function judgeContents(home: string, names: readonly string[]): Verdict | undefined {
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
export function judgeLength(home: string): Verdict | undefined {
  if (Buffer.byteLength(home) <= longestHome) return undefined;
  return {
    state: 'failed',
    says: `${home} is too long a path for the daemon's socket, which may have ${longestHome} bytes before it`,
    fix: 'export AOS_HOME=~/.agent-relay',
  };
}
