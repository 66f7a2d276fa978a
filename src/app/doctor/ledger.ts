import { join } from 'node:path';
import { openSqlite } from '../../ledger/sqlite/database.ts';
import type { Patient, Verdict } from './finding.ts';

/** Reads the whole ledger and lets SQLite judge it; the daemon may run meanwhile. */
export async function checkLedger({ settings, disk }: Patient): Promise<Verdict> {
  const path = join(settings.home, 'ledger.db');
  const there = await disk.stat(path);
  if (there === undefined || there.sizeBytes === 0) {
    return { state: 'ok', says: 'the ledger is not there yet' };
  }
  using database = openSqlite(path, { readOnly: true });
  const found = await database.get<{ integrity_check: string }>('pragma integrity_check(1)');
  if (found?.integrity_check === 'ok') return { state: 'ok', says: 'the ledger is sound' };
  return {
    state: 'failed',
    says: `the ledger is damaged: ${found?.integrity_check ?? 'it cannot be judged'}`,
    fix: 'stop the daemon and put a backup back: aos restore FILE --replace',
  };
}
