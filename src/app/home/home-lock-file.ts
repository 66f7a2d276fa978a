/** `.lock` itself: a SQLite file with one row, of which another process sees what is committed. */

import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { type Instant, lastInstant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { sqliteCodeOf } from '../../ledger/sqlite/database.ts';

export interface HomeHolder {
  readonly pid: number;
  /** As the Processes port tells it; empty where it could not. */
  readonly startTime: string;
  /** `daemon`, or the words of a command. */
  readonly what: string;
  readonly since: Instant;
}

export interface LockRow {
  readonly epoch: number;
  /** Undefined when the last one has let go in good order. */
  readonly holder: HomeHolder | undefined;
}

/** For what others do in passing: a look at the row, a commit. */
export const passingMs = 2000;

const table = `
  create table if not exists holder (
    one integer primary key check (one = 1),
    epoch integer not null, pid integer, start_time text, what text, since integer
  ) strict`;

const replaceRow = `
  insert into holder (one, epoch, pid, start_time, what, since) values (1, ?, ?, ?, ?, ?)
  on conflict (one) do update set epoch = excluded.epoch, pid = excluded.pid,
    start_time = excluded.start_time, what = excluded.what, since = excluded.since`;

export class LockFile implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#path = path;
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    // `rw`: SQLite would make a missing file too, but with a mode that follows the umask.
    const address = `${pathToFileURL(path)}?mode=rw`;
    this.#database = this.#told(() => new DatabaseSync(address));
  }

  /** False when another process holds it, and still does after that wait. */
  begin({ waitMs }: { readonly waitMs: number }): boolean {
    return this.#unlessBusy(waitMs, () => {
      // Or a power cut could bring an old epoch back, with a journal that was done with.
      this.#database.exec('pragma synchronous = extra');
      this.#database.exec('begin immediate');
    });
  }

  /** False when another process kept it from being written; then nothing is. */
  commit(): boolean {
    return this.#unlessBusy(passingMs, () => this.#database.exec('commit'));
  }

  writeRow({ epoch, holder }: LockRow): void {
    this.#told(() => {
      this.#database.exec(table);
      const { pid = null, startTime = null, what = null, since = null } = holder ?? {};
      this.#database.prepare(replaceRow).run(epoch, pid, startTime, what, since);
    });
  }

  /** What was committed last; a new file says epoch 0 and no owner. */
  readRow(): LockRow {
    return this.#told(() => {
      this.#database.exec(`pragma busy_timeout = ${passingMs}`);
      const known = this.#database.prepare(`select 1 from sqlite_schema where name = 'holder'`);
      if (known.get() === undefined) return { epoch: 0, holder: undefined };
      const row = this.#database.prepare('select * from holder where one = 1').get();
      return row === undefined ? { epoch: 0, holder: undefined } : parseRow(row, this.#path);
    });
  }

  /** What was begun and not committed is undone. */
  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #unlessBusy(waitMs: number, work: () => void): boolean {
    try {
      this.#database.exec(`pragma busy_timeout = ${waitMs}`);
      work();
      return true;
    } catch (failure) {
      if (isBusy(failure)) return false;
      throw toLockError(failure, this.#path);
    }
  }

  #told<T>(work: () => T): T {
    try {
      return work();
    } catch (failure) {
      throw toLockError(failure, this.#path);
    }
  }
}

export function isBusy(failure: unknown): boolean {
  return sqliteCodeOf(failure) === 5;
}

function parseRow(row: Readonly<Record<string, unknown>>, path: string): LockRow {
  const { epoch, pid, start_time: startTime, what, since } = row;
  if (!isCount(epoch)) throw brokenLock(path);
  if (pid === null) return { epoch, holder: undefined };
  const whole = isCount(pid) && isCount(since) && since <= lastInstant;
  if (!whole || typeof startTime !== 'string' || typeof what !== 'string') throw brokenLock(path);
  return { epoch, holder: { pid, startTime, what, since } };
}

// The largest number is not among them: one more could not be told from it.
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && value !== Number.MAX_SAFE_INTEGER;
}

/** By those codes: read-only, failing disk, no room, not to be opened. */
const osCodes: Readonly<Record<number, string>> = {
  8: 'EACCES',
  10: 'EIO',
  13: 'ENOSPC',
  14: 'EACCES',
};

function toLockError(failure: unknown, path: string): unknown {
  if (failure instanceof AosError || isBusy(failure)) return failure;
  const osCode = osCodes[sqliteCodeOf(failure) ?? 0];
  return osCode === undefined ? brokenLock(path, failure) : diskError(osCode, path, failure);
}

export function brokenLock(path: string, cause?: unknown): AosError {
  return new AosError('home.broken-lock', {
    message: `${quote(path)} is not the lock file that Agent OS put there`,
    fix: `Make sure that no daemon runs for this home folder, then remove the file ${quote(path)}`,
    cause,
  });
}
