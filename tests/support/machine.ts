/** What this machine has. A test that needs more is counted as skipped, which CI refuses. */
import { existsSync } from 'node:fs';
import { onPath } from '../../scripts/setup/system-packages.mjs';

export const isInstalled = onPath;
/** The name by which the browser is started; undefined where there is none. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
export const hasSandbox = isInstalled('bwrap');
/** Only root can step down to another user. */
export const isRoot = process.getuid?.() === 0;
