/**
 * The file of the search index: what lies in the folders that the owner wanted indexed.
 *
 * I1. A root is written in one transaction, with all that is below it: who is killed meanwhile
 *     leaves what was there before.
 * I2. Names are bytes: what is no UTF-8 is stored as a blob, everything else as text.
 */

import { partsOfPath } from '../../../kernel/capability/action-text.ts';
import { endsAtSecret } from '../../../kernel/capability/sensitive-path.ts';
import { continuesPlace, specialNames } from '../../../kernel/files/names.ts';
import { bytesOf, textOf } from '../../disk/owners.ts';
import { dropIndexFile, type IndexKind, openIndexFile, PreparedSql } from '../../index-file.ts';

// The words of a text are found, and not their order: without places the index is half as large.
const schema = `
  create table root (
    id integer primary key, path any not null unique, built_at integer not null,
    swept_at integer not null, top integer not null, settings text not null) strict;
  create table dir (
    id integer primary key, parent integer, name any not null, mtime real not null) strict;
  create index dir_parent on dir (parent);
  create table file (
    id integer primary key, dir integer not null, name any not null, size integer not null,
    mtime real not null) strict;
  create index file_dir on file (dir);
  create virtual table words using fts5 (
    name, body, content = '', contentless_delete = 1, detail = column,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'");
  create virtual table terms using fts5vocab (words, row)`;

const kind: IndexKind = {
  version: 1,
  // What a power cut damages is made anew.
  pragmas: `
    pragma journal_mode = truncate; pragma synchronous = off; pragma trusted_schema = on;
    pragma cache_size = -16000; pragma temp_store = memory;`,
  schema,
  probes: ['select count(*) from root', 'select rowid from words limit 1'],
};

export interface IndexedFolder {
  readonly id: number;
  /** Below the base. */
  readonly parts: readonly string[];
  /** The parts joined to one path. */
  readonly path: string;
  readonly mtime: number;
}

interface KeptFolders {
  readonly top: number;
  /** By id, each after the one that it is in. */
  readonly folders: ReadonlyMap<number, IndexedFolder>;
}

export class IndexStore extends PreparedSql {
  /** The folders of the last question, until something is written: they are read for each. */
  kept: KeptFolders | undefined;

  static open(path: string): IndexStore {
    return new IndexStore(openIndexFile(path, kind));
  }

  static drop(path: string): void {
    dropIndexFile(path);
  }

  /** I1 */
  override transact<T>(work: () => T): T {
    this.kept = undefined;
    return super.transact(work);
  }
}

export type StoredName = string | Uint8Array;

/** I2 */
export function storedName(name: string): StoredName {
  return bytesOf(name);
}

export function readName(stored: StoredName): string {
  return typeof stored === 'string' ? stored : textOf(Buffer.from(stored));
}

export interface IndexSettings {
  readonly aosHome: string;
  readonly passOver: readonly string[];
}

/** Whether a name, in a folder below the base, is to be in the index. */
export function keptIn(base: string, { aosHome, passOver }: IndexSettings) {
  const home = partsOfPath(aosHome);
  const left = new Set([aosHome, ...passOver]);
  const isSpecial = specialNames(home);
  const start = base === '/' ? '' : base;
  // Names come folder by folder.
  let last: { readonly folders: readonly string[]; readonly isPlace: boolean } | undefined;
  return (folders: readonly string[], name: string): boolean => {
    if (last?.folders !== folders) {
      last = { folders, isPlace: continuesPlace([...partsOfPath(base), ...folders], home) };
    }
    // Most names are nothing special, and then they are not compared with each of the tables.
    const mayBeSecret = isSpecial(name) || last.isPlace;
    if (mayBeSecret && endsAtSecret([...partsOfPath(base), ...folders, name])) return false;
    return !left.has(`${start}/${[...folders, name].join('/')}`);
  };
}

/** Whether the folder lies in a place of secrets, or in our own home. */
export function isSecretBase(base: string, { aosHome }: Pick<IndexSettings, 'aosHome'>): boolean {
  const parts = partsOfPath(base);
  const home = partsOfPath(aosHome);
  const isInHome = home.every((name, index) => parts[index] === name);
  return isInHome || parts.some((_, index) => endsAtSecret(parts.slice(0, index + 1)));
}
