/**
 * One folder for everything temporary of a test run, removed at its end: also what a
 * file leaves that was filtered out, failed while loading, or was stopped.
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** vitest calls it before the first worker starts; what it returns, after the last has ended. */
export function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aos-')));
  process.env['TMPDIR'] = folder;
  process.env['AOS_TEST_RUN_FOLDER'] = folder;
  return () => {
    tellOfDeadWorkers(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

/** A worker takes its note away when a file is done; one that died in it could not. */
function tellOfDeadWorkers(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('running-'))) {
    const what = readFileSync(join(folder, name), 'utf8');
    process.stderr.write(`worker ${name.slice('running-'.length)} died while it ran ${what}\n`);
    process.exitCode = 1;
  }
}
