import { join } from 'node:path';
import type { Instant } from '../../kernel/ports.ts';
import type { Patient, Verdict } from './finding.ts';

// No clock that is right shows a time before this program was written.
const earliest: Instant = Date.UTC(2026, 0, 1);
const toleranceMs = 5 * 60_000;
const fix = 'sudo timedatectl set-ntp true';

/** Is the wall clock plausible, and not behind what was written under it earlier? */
export async function checkClock({ clock, disk, settings }: Patient): Promise<Verdict> {
  const now = clock.now();
  const today = new Date(now).toISOString();
  if (now < earliest)
    return { state: 'failed', says: `the clock says ${today}, which is past`, fix };
  const newest = await newestChange(disk, settings.home);
  if (newest > now + toleranceMs) {
    return {
      state: 'warning',
      says: `the clock says ${today}, but the home folder was changed at ${new Date(newest).toISOString()}: it went back`,
      fix,
    };
  }
  return { state: 'ok', says: `the clock says ${today}` };
}

async function newestChange(disk: Patient['disk'], home: string): Promise<Instant> {
  if ((await disk.stat(home)) === undefined) return 0;
  const names = await disk.list(home);
  const entries = await Promise.all(names.map((name) => disk.stat(join(home, name))));
  return Math.max(0, ...entries.map((entry) => entry?.modifiedAt ?? 0));
}
