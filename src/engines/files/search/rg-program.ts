/** Where ripgrep is. Its packages have one program for one kind of machine each. */
import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nothing where there is none for this machine. From beside the source as from the bundle. */
export function findRipgrep(from: string = import.meta.dirname): string | undefined {
  const name = `ripgrep-${process.platform}-${process.arch}`;
  for (let folder = from; ; folder = dirname(folder)) {
    const program = join(folder, 'node_modules', '@vscode', name, 'bin', 'rg');
    if (isProgram(program)) return program;
    if (folder === dirname(folder)) return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
