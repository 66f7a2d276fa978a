/** What a received folder needs of the real disk: symlinks, modes and times. */
import { execFile } from 'node:child_process';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  lstatSync,
  lutimesSync,
  openSync,
  symlinkSync,
} from 'node:fs';
import { diskError, toDiskError } from '../../kernel/disk/errors.ts';
import type { TreeDisk } from '../../kernel/ports.ts';
import { bytesOf } from './owners.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export const realTreeDisk: TreeDisk = {
  makeLink: async (path, target) => named(path, () => symlinkSync(bytesOf(target), bytesOf(path))),
  dress: async (path, { mode, modifiedAt }) =>
    named(path, () => {
      const descriptor = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const info = fstatSync(descriptor);
        if (!info.isFile() && !info.isDirectory()) throw diskError('ENXIO', path);
        // A date, because a negative number would be taken for now.
        const time = new Date(modifiedAt);
        futimesSync(descriptor, time, time);
        // Its owner can always read it and take it away again.
        fchmodSync(descriptor, (mode & 0o777) | (info.isDirectory() ? 0o700 : 0o600));
      } finally {
        closeSync(descriptor);
      }
    }),
  restore: async (path, { mode, modifiedNs }, { isRough } = { isRough: false }) => {
    if (named(path, () => lstatSync(bytesOf(path))).isSymbolicLink()) {
      named(path, () => lutimesSync(bytesOf(path), secondsOf(modifiedNs), secondsOf(modifiedNs)));
      if (isRough) return;
      await touch(path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`), modifiedNs, ['-h']);
      return;
    }
    const descriptor = named(path, () => openPlain(path));
    try {
      if (mode !== undefined) named(path, () => fchmodSync(descriptor, mode & 0o777));
      const time = secondsOf(modifiedNs);
      named(path, () => futimesSync(descriptor, time, time));
      if (isRough || isAt(descriptor, modifiedNs)) return;
      await touch(`/proc/${process.pid}/fd/${descriptor}`, modifiedNs, []);
    } finally {
      closeSync(descriptor);
    }
  },
};

function openPlain(path: string): number {
  const descriptor = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const info = fstatSync(descriptor);
  if (info.isFile() || info.isDirectory()) return descriptor;
  closeSync(descriptor);
  throw diskError('ENXIO', path);
}

/** A number holds the last ones of nanoseconds only roughly, and below zero would mean now. */
function secondsOf(modifiedNs: string) {
  const seconds = Number(modifiedNs) / 1e9;
  return seconds < 0 ? new Date(seconds * 1000) : seconds;
}

function isAt(descriptor: number, modifiedNs: string): boolean {
  return fstatSync(descriptor, { bigint: true }).mtimeNs === BigInt(modifiedNs);
}

/** `touch` knows nanoseconds. Where there is none that does, the time stays as near as it is. */
async function touch(file: string, modifiedNs: string, how: readonly string[]): Promise<void> {
  if (process.platform !== 'linux' || !file.isWellFormed()) return;
  const args = ['-m', '-c', ...how, '-d', `@${secondsText(modifiedNs)}`, '--', file];
  await new Promise<void>((resolve) => {
    execFile('touch', args, { timeout: 5000 }, () => resolve());
  });
}

function secondsText(ns: string): string {
  const digits = ns.replace('-', '').padStart(10, '0');
  const sign = ns.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    throw toDiskError(failure, path);
  }
}
