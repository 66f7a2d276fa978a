/** The daemon's log: one JSON object a line, secrets blacked out. */

import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import type { Clock, LogFile } from '../kernel/ports.ts';
import type { Scrub } from '../security/secrets/scrub.ts';
import type { Engines } from './home/compose.ts';
import { daemonLog } from './home/home-folder.ts';

export type Log = Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogDeps {
  readonly file: LogFile;
  readonly clock: Pick<Clock, 'now'>;
  readonly level: LogLevel;
  /** What each line goes through before it is written: it may hold secrets. */
  readonly scrub?: ((line: string) => string) | undefined;
}

// What proves who a caller is, or opens what is sealed, wherever it stands in a line.
const secretKeys = ['handle', 'authorization', 'secret_key', 'passphrase'];
const places = ['', '*.', '*.*.', '*.*.*.'];

export function openLog({ file, clock, level, scrub }: LogDeps): Log {
  return pino(
    {
      level,
      // Neither pid nor host on every line: the start is logged once, with both.
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretKeys.flatMap((key) => places.map((place) => place + key)),
        censor: '[redacted]',
      },
    },
    scrub === undefined ? file : { write: (line) => file.write(scrub(line)) },
  );
}

/** The log of the process that has the home open, which is one process at a time. */
interface HomeLog extends Disposable {
  readonly log: Log;
  /** From now on: the log is open before the secrets are known. */
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
