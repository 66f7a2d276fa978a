/** What this machine has. A test that needs more is counted as skipped, which CI refuses. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { onPath } from '../../scripts/setup/system-packages.mjs';

export const isInstalled = onPath;
/** The name by which the browser is started; undefined where there is none. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
export const hasSandbox = isInstalled('bwrap');
/** Only root can step down to another user. */
export const isRoot = process.getuid?.() === 0;

// What the work below takes on the machine on which the limits of tests were chosen, on all of
// its cores at once: long enough to meet other programs that want them.
const usualMs = 300;
const work = 'let sum = 0; for (let n = 0; n < 5e7; n++) sum = (sum + n * n) | 0';
const mostSlowness = 5;

/** How much slower than that this machine is right now. */
export async function measureSlowness(): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: availableParallelism() }, () =>
      promisify(execFile)(process.execPath, ['-e', work]),
    ),
  );
  const slowness = (performance.now() - startedAt) / usualMs;
  return Math.min(mostSlowness, Math.max(1, slowness));
}
