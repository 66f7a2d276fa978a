/** The names that Agent OS gives to what lies directly in its home folder. */
const ownNames = new Set([
  ...[
    'ledger.db',
    'ledger.db-wal',
    'ledger.db-shm',
    'config.json',
    '.lock',
    'agents',
    'attachments',
  ],
  ...['blobs', 'transfers', 'artifacts', 'archive', 'keys', 'logs', 'trash', 'index', 'search.db'],
  ...['search.db-wal', 'search.db-shm', 'run', 'tmp'],
]);

// The trial folder of a doctor that runs just now or was killed, and a file of ours on
// its way (kernel/durable-file.ts).
const passingNames = /^\.aos-doctor-\d+$|^\..+\.[0-9a-f]{16}\.pending$/;

/** The name of the folder that doctor makes and removes to see whether it can. */
export function trialName(pid: number): string {
  return `.aos-doctor-${pid}`;
}

/** What in a folder is certainly not ours: nobody wants it changed along with the home. */
export function foreignNames(names: readonly string[]): string[] {
  return names.filter((name) => !ownNames.has(name) && !passingNames.test(name));
}
