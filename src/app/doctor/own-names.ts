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

/** What in a folder is certainly not ours: nobody wants it changed along with the home. */
export function foreignNames(names: readonly string[]): string[] {
  const passing = [pendingName, asideName, doctorName];
  return names.filter((name) => !ownNames.has(name) && !passing.some((form) => form.test(name)));
}
