/** What this machine has. A test that needs more is counted as skipped, which CI refuses. */
import { onPath } from '../../scripts/setup/system-packages.mjs';

export const isInstalled = onPath;
export const hasSandbox = isInstalled('bwrap');
/** Only root can step down to another user. */
export const isRoot = process.getuid?.() === 0;
