/** Files of ours to which those who run as us can shut us out: `chmod 000 /proc/self/fd/1`. */
import { openSync } from 'node:fs';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import { closeToOthers } from './disk.ts';

// Who shuts it again and again wins about every second time against so many; logs are looked at
// again soon.
const mostTries = 100;

/** As openSync; a file that is shut is made private first. What is new is private. */
export function openShut(path: string, flags: number): number {
  for (let tries = 1; ; tries++) {
    try {
      return openSync(path, flags, 0o600);
    } catch (failure) {
      if (osCodeOf(failure) !== 'EACCES' || tries === mostTries) throw failure;
    }
    closeToOthers(path);
  }
}
