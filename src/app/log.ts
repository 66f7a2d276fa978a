/** The daemon's log: one JSON object a line, secrets blacked out. */
import { type Logger, pino } from 'pino';
import type { Clock, LogFile } from '../kernel/ports.ts';

export type Log = Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogDeps {
  readonly file: LogFile;
  readonly clock: Pick<Clock, 'now'>;
  readonly level: LogLevel;
  /** What each line goes through before it is written: it may hold what nobody may see. */
  readonly scrub?: ((line: string) => string) | undefined;
}

// What proves who somebody is, or opens what is sealed, wherever it stands in a line.
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
