/** What this machine has that every sandbox sees, and the small /etc that it gets. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isAgentUid } from '../../kernel/ports.ts';
import { unlessSkipped } from '../watch/watch-folders.ts';
import type { HostParts } from './launcher-arguments.ts';

// /nix is where some systems keep all of their programs.
const programFolders = ['/usr', '/nix/store'];
const besideUsr = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
// Links of programs lead through alternatives; the others are certificates that all may read.
const etcParts = ['/etc/alternatives', '/etc/ssl', '/etc/ca-certificates', '/etc/pki'];
const etcCopies = ['ld.so.cache', 'localtime', 'mime.types', 'protocols', 'services'];

const etcPrefix = 'etc-';

/** `folder` is ours to fill. `uid` is the one that gets a name inside. */
export function hostParts(folder: string, uid: number): HostParts {
  const kinds = besideUsr.flatMap((path) => {
    const kind = lstatSync(path, { throwIfNoEntry: false });
    return kind === undefined ? [] : [{ path, isLink: kind.isSymbolicLink() }];
  });
  const parts = etcParts.filter(isFolder);
  return {
    isRoot: process.getuid?.() === 0,
    folders: [
      ...programFolders.filter(isFolder),
      ...kinds.filter(({ isLink }) => !isLink).map(({ path }) => path),
    ],
    links: kinds
      .filter(({ isLink }) => isLink)
      .map(({ path }) => ({ path, target: readlinkSync(path) })),
    etc: makeEtc(join(folder, `${etcPrefix}${uid}`), uid, parts),
    etcParts: parts,
    node: process.execPath.startsWith('/usr/') ? undefined : process.execPath,
  };
}

/**
 * What was made for agents of which nothing runs: it is made again when it is needed. A program
 * that outlived an earlier process still sees its own.
 */
export function removeUnusedEtc(folder: string): void {
  const made = readdirSync(folder).filter((name) => name.startsWith(etcPrefix));
  const ofAgents = made.filter((name) => isAgentUid(Number(name.slice(etcPrefix.length))));
  if (ofAgents.length === 0) return;
  const used = new Set(uidsAtWork().map((uid) => `${etcPrefix}${uid}`));
  for (const name of ofAgents) {
    if (!used.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

// Not by whom the folders in /proc belong to: whoever may not be looked into is root's there.
function uidsAtWork(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const status = unlessSkipped(() => readFileSync(`/proc/${pid}/status`, 'latin1'));
    return /^Uid:\t(\d+)/m.exec(status ?? '')?.[1] ?? [];
  });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function makeEtc(folder: string, uid: number, parts: readonly string[]): string {
  makeOpenFolder(folder);
  const put = (name: string, bytes: string | Buffer) => putFile(join(folder, name), bytes);
  put('passwd', `agent:x:${uid}:${uid}::/workspace:/bin/sh\nroot:x:0:0::/:/bin/false\n`);
  put('group', `agent:x:${uid}:\nroot:x:0:\n`);
  put('hosts', '127.0.0.1 localhost sandbox\n::1 localhost\n');
  put('nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files\n');
  for (const name of etcCopies) {
    const from = join('/etc', name);
    if (existsSync(from)) put(name, readFileSync(from));
  }
  // What is mounted there needs a place that exists: the whole is closed by then.
  for (const part of parts) {
    makeOpenFolder(join(folder, part.slice('/etc/'.length)));
  }
  return folder;
}

/** One that is the same stays: programs that outlived an earlier process may read it now. */
function putFile(path: string, content: string | Buffer): void {
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  writeFileSync(path, bytes);
  chmodSync(path, 0o644);
}

// For whoever is inside, whatever is taken away from new files of this process.
function makeOpenFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}
