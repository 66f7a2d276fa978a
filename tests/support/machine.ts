/** What this machine has. A test that needs more is counted as skipped, which CI refuses. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}

/** Only root can step down to another user. */
export const isRoot = process.getuid?.() === 0;
export const hasSandbox = isInstalled('bwrap');
