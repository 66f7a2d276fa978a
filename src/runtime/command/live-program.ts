/** A program that runs now, as its supervisor sees it. */

import type { Clock } from '../../kernel/ports.ts';
import type { ProgramEnd, RunningProgram } from '../../kernel/programs.ts';
import type { HeldBody, SandboxLimit } from '../../kernel/sandbox.ts';
import { early } from '../../kernel/turns.ts';

export interface LiveProgram {
  readonly program: RunningProgram;
  readonly logFrom: number;
  /** On the monotonic clock; below zero where an earlier process started it long before. */
  readonly sinceMs: number;
  /** `frozen` is stopped by somebody else. */
  mode: 'running' | 'paused' | 'frozen';
  /** Of one in a sandbox: what serves its network, which is lost with the daemon it was of. */
  readonly network?: AsyncDisposable | undefined;
  held?: HeldBody | undefined;
  /** The limit that it was stopped for. */
  stoppedBy?: SandboxLimit | undefined;
}

/** Before anything of it is removed: the limit that ended it, if one did. */
export function limitOf(
  { stoppedBy, held }: Pick<LiveProgram, 'stoppedBy' | 'held'>,
  end: ProgramEnd,
): SandboxLimit | undefined {
  if (stoppedBy !== undefined || held === undefined || end.kind !== 'killed') return stoppedBy;
  if (end.signal === 'SIGXFSZ') return 'file-size';
  return end.signal === 'SIGKILL' ? held.ended() : undefined;
}

/** Ends it with all that it started: a polite word, a while, then by force. */
export async function stopProgram(
  clock: Clock,
  { program }: LiveProgram,
  graceMs: number,
): Promise<void> {
  if (program.condition() !== 'gone') {
    await program.terminate();
    await within(clock, program.ended, graceMs);
  }
  await program.kill();
}

async function within(clock: Clock, ended: Promise<unknown>, graceMs: number): Promise<void> {
  const over = new AbortController();
  try {
    // The sleep is ended early when the program is faster.
    await Promise.race([ended, clock.sleep(graceMs, over.signal).catch(() => {})]);
  } finally {
    over.abort(early);
  }
}
