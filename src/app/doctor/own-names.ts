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

/** What in a folder is certainly not ours: nobody wants it changed along with the home. */
export function foreignNames(names: readonly string[]): string[] {
  return names.filter((name) => !ownNames.has(name));
}
