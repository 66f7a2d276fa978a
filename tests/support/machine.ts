/** What this machine has. A test that needs more is counted as skipped, which CI refuses. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { onPath } from '../../scripts/setup/system-packages.mjs';

export const isInstalled = onPath;
/** The name by which the browser is started; undefined where there is none. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
export const hasSandbox = isInstalled('bwrap');
/** Only root can step down to another user. */
export const isRoot = process.getuid?.() === 0;

// What a Node that does nothing takes on the machine on which the limits of tests were chosen.
const usualStartMs = 50;
const starts = 3;

/** How much slower than that this machine is right now, by the slowest of a few starts. */
export function measureSlowness(): number {
  const took = Array.from({ length: starts }, () => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ['-e', '']);
    return performance.now() - startedAt;
  });
  return Math.max(1, Math.max(...took) / usualStartMs);
}
