import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of a package that may not be there. From beside the source as from the bundle. */
export function findPackaged(
  path: readonly string[],
  from: string = import.meta.dirname,
): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', ...path);
    if (isReadable(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
