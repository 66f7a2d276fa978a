/**
 * The file of a search index. It only repeats what is elsewhere, so that a damaged one is dropped
 * and made anew.
 */
import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface IndexKind {
  /** A file of another is dropped. */
  readonly version: number;
  /** Before anything is read: how it is written, and what is kept in memory. */
  readonly pragmas: string;
  readonly schema: string;
  /** Asked when it is opened: what is missing or damaged shows then, and not in the middle. */
  readonly probes: readonly string[];
  readonly allowExtension?: boolean;
}

export function openIndexFile(path: string, kind: IndexKind): DatabaseSync {
  try {
    return openOnce(path, kind);
  } catch (failure) {
    if (!isDamage(failure)) throw failure;
    dropIndexFile(path);
    return openOnce(path, kind);
  }
}

export function dropIndexFile(path: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

/** Whether the file is no database any more, or not ours. */
export function isDamage(failure: unknown): boolean {
  if (failure instanceof Damage) return true;
  if (!(failure instanceof Error) || !('errcode' in failure)) return false;
  // What is wrong with a question is not wrong with the file.
  if (failure.message.includes('syntax error')) return false;
  // error, corrupt, not a database: a table may be missing too.
  return [1, 11, 26].includes(Number(failure.errcode) & 0xff);
}

class Damage extends Error {
  override readonly message = 'the index is of another version';
}

function openOnce(path: string, kind: IndexKind): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Made by us, so that nobody else can read it from its first byte on.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const { allowExtension = false } = kind;
  const database = new DatabaseSync(path, { timeout: 5000, allowExtension });
  try {
    database.exec(kind.pragmas);
    prepareSchema(database, kind);
    return database;
  } catch (failure) {
    database.close();
    throw failure;
  }
}

function prepareSchema(database: DatabaseSync, { version, schema, probes }: IndexKind): void {
  const known = database.prepare('pragma user_version').get()?.['user_version'];
  const isEmpty = database.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (known === 0 && isEmpty) {
    database.exec(`begin; ${schema}; pragma user_version = ${version}; commit;`);
  } else if (known !== version) throw new Damage();
  for (const probe of probes) database.prepare(probe).get();
}
