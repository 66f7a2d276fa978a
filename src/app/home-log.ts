import { join } from 'node:path';
import type { Engines } from './compose.ts';
import { daemonLog } from './home-folder.ts';
import { type Log, openLog } from './log.ts';

/** The log of whoever has the home open, which is one process at a time. */
export function openHomeLog(
  { clock, openLogFile }: Engines,
  home: string,
): { readonly log: Log } & Disposable {
  const { name, limitBytes, keep } = daemonLog;
  const file = openLogFile(join(home, 'logs', name), { limitBytes, keep });
  return {
    log: openLog({ file, clock, level: 'info' }),
    [Symbol.dispose]: () => file.close(),
  };
}
