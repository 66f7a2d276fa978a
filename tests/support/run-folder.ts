/**
 * One folder for everything temporary of a test run, removed at its end: also what a
 * file leaves that was filtered out, failed while loading, or was stopped.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** vitest calls it before the first worker starts; what it returns, after the last has ended. */
export function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aos-')));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
