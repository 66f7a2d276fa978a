import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { realClock, realEventLoop } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import type { AosError } from '../../src/kernel/errors.ts';
import type { Clock, Disk } from '../../src/kernel/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/database.ts';
import { migrate, readMigrations } from '../../src/ledger/sqlite/migrate.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface LedgerChoices {
  readonly epoch?: number;
  readonly clock?: Clock;
  readonly disk?: Disk;
  readonly onLost?: (why: AosError) => void;
  /** Runs every migration, instead of beginning with a ledger on which they have been run. */
  readonly fromNothing?: boolean;
}

/** The real ledger in that file, on the real disk. */
export async function openTestLedger(path: string, choices: LedgerChoices = {}): Promise<Ledger> {
  const { epoch = 1, clock = realClock, disk = realDisk, onLost = () => {} } = choices;
  const folder = choices.fromNothing ? undefined : process.env['AOS_TEST_RUN_FOLDER'];
  if (folder !== undefined && !existsSync(path)) copyFileSync(await emptyLedger(folder), path);
  return openSqliteLedger({ disk, clock, eventLoop: realEventLoop }, { path, epoch, onLost });
}

/**
 * A ledger with its tables and nothing else, made once in a run: making them is most of what a
 * small test would do. Migrations themselves are tested where a ledger is opened without this.
 */
async function emptyLedger(folder: string): Promise<string> {
  const path = join(folder, 'empty-ledger.db');
  if (existsSync(path)) return path;
  // Others may make one at the same time: each has a name of its own, and all are the same.
  const making = `${path}-${randomUUID()}`;
  {
    using database = openSqlite(making);
    await migrate({ database, disk: realDisk, path: making }, await readMigrations(realDisk));
  }
  // As the ledger of a home is.
  chmodSync(making, 0o600);
  renameSync(making, path);
  return path;
}

export interface TemporaryLedger extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly folder: string;
  readonly path: string;
}

/** A new ledger that is gone when the `await using` block ends. */
export async function temporaryLedger(choices: LedgerChoices = {}): Promise<TemporaryLedger> {
  const folder = temporaryFolder();
  const path = folder.at('ledger.db');
  const ledger = await openTestLedger(path, choices);
  return {
    ledger,
    folder: folder.path,
    path,
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
