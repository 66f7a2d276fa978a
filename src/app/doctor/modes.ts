import { join } from 'node:path';
import type { DiskView } from '../../kernel/ports.ts';
import { quote, shellWord } from '../../kernel/text/quote.ts';
import type { DoctorVerdict, Patient } from './finding.ts';

interface Stray {
  readonly path: string;
  readonly why: string;
  /** The command that mends it and what is below it, given a path. */
  readonly mend: string;
}

/** Everything in the home folder is its owner's alone: folders 700, files 600. */
export function checkModes({ settings, disk }: Patient): Promise<DoctorVerdict> {
  return judgeModes(disk, settings.home);
}

export async function judgeModes(disk: DiskView, home: string): Promise<DoctorVerdict> {
  if ((await disk.stat(home)) === undefined) {
    return { state: 'ok', says: 'the home folder is not there yet' };
  }
  const names = await disk.list(home);
  const foreign = new Set(foreignNames(names));
  const isOwn = isOwnHome(names);
  // In a home of ours a file of another user lies behind the home's own mode.
  const ours = isOwn ? names.filter((name) => !foreign.has(name)) : names;
  const strays = await findStrays(disk, await pathsToLookAt(disk, home, ours));
  const [first] = strays;
  if (first === undefined)
    return { state: 'ok', says: 'the home folder is open to its owner only' };
  const more = strays.length > 1 ? ` and ${strays.length - 1} more` : '';
  return {
    state: 'failed',
    says: `${quote(first.path.replace(/\/\.$/, '') || '/')} ${first.why}${more}`,
    fix: fixFor(first, { home, isOwn, isAlone: foreign.size === 0 }),
  };
}

interface Surroundings {
  readonly home: string;
  readonly isOwn: boolean;
  /** Nothing of another user stands in the home. */
  readonly isAlone: boolean;
}

// A user's own files, or the system's, must not be swept along.
function fixFor({ path, mend }: Stray, { home, isOwn, isAlone }: Surroundings): string {
  if (isAlone) return `${mend} ${shellWord(`${home}/`)}`;
  if (isOwn) return `${mend.replace(' -R', '')} ${shellWord(path)}`;
  return 'choose a folder of its own: export AOS_HOME=~/.agent-relay';
}

// The home, what stands directly in it, and the keys: the rest lies behind these
// modes, and there may be a million files of it.
async function pathsToLookAt(
  disk: DiskView,
  home: string,
  names: readonly string[],
): Promise<string[]> {
  const keysFolder = await disk.stat(join(home, 'keys'));
  const keys = keysFolder?.kind === 'folder' ? await disk.list(join(home, 'keys')) : [];
  return [
    // The folder itself, should the home be a link to it.
    `${home}/.`,
    ...names.map((name) => join(home, name)),
    ...keys.map((name) => join(home, 'keys', name)),
  ];
}

async function findStrays(disk: DiskView, paths: readonly string[]): Promise<Stray[]> {
  const strays: Stray[] = [];
  for (const path of paths) {
    const entry = await disk.stat(path);
    // Gone meanwhile, or a link, whose own mode means nothing.
    if (entry === undefined || entry.kind === 'symlink') continue;
    if (entry.ownerUid !== process.getuid?.()) {
      strays.push({ path, why: 'belongs to somebody else', mend: 'sudo chown -R "$(id -u)"' });
    } else if ((entry.mode & 0o077) !== 0) {
      const why = `is open to others (mode ${entry.mode.toString(8)})`;
      strays.push({ path, why, mend: 'chmod -R go-rwx' });
    }
  }
  return strays;
}

/** The folders that Agent OS makes directly in its home. */
export const ownFolders = [
  ...(['agents', 'attachments', 'blobs', 'transfers', 'artifacts', 'archive', 'keys'] as const),
  ...(['logs', 'trash', 'index', 'plans', 'run', 'tmp'] as const),
] as const;

/** The daemon's log, in `logs`. */
export const daemonLogName = 'daemon.log';

/** Room that is kept for a full disk. */
export const reserveName = '.reserve';

const ownFiles = [
  reserveName,
  ...[
    'ledger.db',
    'ledger.db-wal',
    'ledger.db-shm',
    'ledger.db-journal',
    'config.json',
    '.lock',
    '.lock-journal',
  ],
  ...['search.db', 'search.db-wal', 'search.db-shm'],
];

// Made by people, for goals that are to be taken by agents of their own.
const ownNames = new Set<string>([...ownFolders, 'templates', ...ownFiles]);

const pendingName = /^\..+\.[0-9a-f]{16}\.pending$/;
// What a migration or a restore put aside.
const asideName = /^(?:ledger\.db(?:-wal|-shm)?|config\.json)\.before-/;
// The trial folder of a doctor that runs just now or was killed.
const doctorName = /^\.aos-doctor-\d+$/;

/** A file on its way, or what a crash left of one (kernel/disk/durable-file.ts, R5). */
export function isPendingName(name: string): boolean {
  return pendingName.test(name);
}

/** The name of the folder that doctor makes and removes to see whether it can. */
export function trialName(pid: number): string {
  return `.aos-doctor-${pid}`;
}

/**
 * Whether a folder with these names in it has been a home before. What else stands in it
 * then came later, as a file manager leaves it, and is no sign of a mistyped path.
 */
export function isOwnHome(names: readonly string[]): boolean {
  return names.includes('.lock') || names.includes('ledger.db');
}

/** What in a folder is certainly not ours: it must not be changed along with the home. */
export function foreignNames(names: readonly string[]): string[] {
  const passing = [pendingName, asideName, doctorName];
  return names.filter((name) => !ownNames.has(name) && !passing.some((form) => form.test(name)));
}
