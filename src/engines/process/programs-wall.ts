/** Whether the wall around a program stands, which its listener tells. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { Server } from 'node:net';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { ProgramOrder } from '../../kernel/programs.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';

export interface Wall {
  /** False when the launcher has ended without one. */
  readonly listened: Promise<boolean>;
  /** Where the launcher says what is wrong: in the log, behind what was there before. */
  readonly said: { readonly path: string; readonly from: number };
}

/** Only our own source inside sends, and before anything else runs there. */
export function listened(child: ChildProcess, { onListener }: ProgramOrder): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(false));
    child.once('message', (_, server) => {
      child.disconnect();
      const isOne = server instanceof Server;
      if (isOne && onListener === undefined) server.close();
      else if (isOne) onListener?.(server);
      resolve(isOne);
    });
  });
}

/** Throws `sandbox.not-started`, when all is ended. */
export async function mustStand(
  clock: Clock,
  { listened: isThere, said }: Wall,
  end: () => Promise<void>,
): Promise<void> {
  if (await inTime(clock, isThere)) return;
  await end();
  throw new AosError('sandbox.not-started', {
    message: `A sandbox could not be made for the program: ${firstLineOf(said)}`,
    fix: 'aos doctor',
  });
}

// Node has to start in there first, on a machine that may be busy.
const longestMs = 30_000;

async function inTime(clock: Clock, isThere: Promise<boolean>): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(longestMs, over.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([isThere, late]);
  } finally {
    over.abort(early);
  }
}

const longestWords = 2000;

function firstLineOf({ path, from }: Wall['said']): string {
  const bytes = Buffer.alloc(longestWords);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, bytes, 0, longestWords, from);
    const [line = ''] = bytes.toString('utf8', 0, length).trim().split('\n');
    return oneLine(line) || 'it said nothing';
  } finally {
    closeSync(file);
  }
}
