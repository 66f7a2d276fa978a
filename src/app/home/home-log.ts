import { join } from 'node:path';
import type { Scrub } from '../../security/secrets/scrub.ts';
import { type Log, openLog } from '../log.ts';
import type { Engines } from './compose.ts';
import { daemonLog } from './home-folder.ts';

/** The log of whoever has the home open, which is one process at a time. */
export interface HomeLog extends Disposable {
  readonly log: Log;
  /** From now on: the log is open before anybody can know the secrets. */
  scrubWith(scrubber: Pick<Scrub, 'scrubText'>): void;
}

export function openHomeLog({ clock, openLogFile }: Engines, home: string): HomeLog {
  const { name, limitBytes, keep } = daemonLog;
  const file = openLogFile(join(home, 'logs', name), { limitBytes, keep });
  let scrubber: Pick<Scrub, 'scrubText'> | undefined;
  const scrub = (line: string) => scrubber?.scrubText(line) ?? line;
  return {
    log: openLog({ file, clock, level: 'info', scrub }),
    scrubWith(given) {
      scrubber = given;
    },
    [Symbol.dispose]: () => file.close(),
  };
}
