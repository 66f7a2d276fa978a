/** sqlite-vec is an optional package, with a library for one kind of machine in each of its own. */
import type { DatabaseSync } from 'node:sqlite';
import { findPackaged } from '../packaged-file.ts';

/** Whether its functions can be used from now on. */
export function loadSqliteVec(database: DatabaseSync): boolean {
  const end = process.platform === 'darwin' ? 'dylib' : 'so';
  const library = findPackaged([`sqlite-vec-${process.platform}-${process.arch}`, `vec0.${end}`]);
  if (library === undefined) return false;
  try {
    database.enableLoadExtension(true);
  } catch {
    // It was opened so that nothing can be loaded into it.
    return false;
  }
  try {
    database.loadExtension(library);
    return true;
  } catch {
    // It is made for another libc, or forbidden here: what it does is done without it.
    return false;
  } finally {
    database.enableLoadExtension(false);
  }
}
