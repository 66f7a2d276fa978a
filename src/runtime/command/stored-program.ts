/** What the row of an agent keeps of its program, and where that program's files are. */
import { join } from 'node:path';
import { type CommandSpec, readSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Instant } from '../../kernel/ports.ts';
import type { ProgramEnd, ProgramRecord, RunningProgram } from '../../kernel/programs.ts';
import type { HeldSandboxBody, SandboxLimit } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';
import { setHealth } from '../../ledger/agents.ts';
import { workspaceOf } from '../../security/agent-folders.ts';
import type { CommandDeps } from './deps.ts';

export interface StoredProgram {
  readonly record: ProgramRecord;
  /** Where in its log this start begins. */
  readonly logFrom: number;
  /** It was about to be started; whether it was, is not known. Its record has no pid. */
  readonly isPending: boolean;
}

/** Before the start: enough to find what a crash would leave behind. */
export function pendingProgram(id: string, statusFolder: string, logFrom: number): StoredProgram {
  return { record: { id, pid: 0, startTime: '', statusFolder }, logFrom, isPending: true };
}

export function programText({ record, logFrom, isPending }: StoredProgram): string {
  const { id, pid, startTime, group, statusFolder, sandboxed } = record;
  return JSON.stringify({
    id,
    pid,
    start_time: startTime,
    group,
    status_folder: statusFolder,
    log_from: logFrom,
    pending: isPending,
    sandboxed,
  });
}

interface ProgramFields {
  readonly id: string;
  readonly pid: number;
  readonly start_time: string;
  readonly group?: string;
  readonly status_folder: string;
  readonly log_from: number;
  readonly pending: boolean;
  readonly sandboxed?: true;
}

export function readProgram(text: string | null): StoredProgram | undefined {
  if (text === null) return undefined;
  // Only programText() writes it.
  const fields = JSON.parse(text) as ProgramFields;
  const { id, pid, start_time: startTime, group, status_folder: statusFolder } = fields;
  const { sandboxed } = fields;
  const record = { id, pid, startTime, group, statusFolder, sandboxed };
  return { record, logFrom: fields.log_from, isPending: fields.pending };
}

/** Throws `agent.bad-spec` for an agent that runs as no program. */
export function readCommandSpec(name: string, text: string | null): CommandSpec {
  const spec = readSpec(text);
  if (spec?.body === 'command') return spec;
  throw new AosError('agent.bad-spec', {
    message: `Agent ${quote(name)} does not run as a program`,
    fix: `aos inspect ${name} tells what it is`,
  });
}

export function readRestarts(text: string | null): readonly Instant[] {
  // Only a supervisor writes it, with JSON.stringify.
  return JSON.parse(text ?? '[]') as readonly Instant[];
}

export interface ProgramPlaces {
  readonly log: string;
  readonly statusFolder: string;
  readonly workspace: string;
}

export function placesOf(home: string, name: string): ProgramPlaces {
  return {
    log: join(home, 'logs', 'agents', `${name}.log`),
    statusFolder: join(home, 'run', 'programs'),
    workspace: workspaceOf(home, name),
  };
}

// A program that runs now, as its supervisor sees it.

export interface LiveProgram {
  readonly program: RunningProgram;
  readonly logFrom: number;
  /** On the monotonic clock; below zero where an earlier process started it long before. */
  readonly sinceMs: number;
  /** `frozen` is stopped from outside. */
  mode: 'running' | 'paused' | 'frozen';
  /** Of one in a sandbox: what serves its network, which is lost with the daemon it was of. */
  readonly network?: AsyncDisposable | undefined;
  held?: HeldSandboxBody | undefined;
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

// Whether a program does what its row says.

export async function lookAtProgram(
  { ledger }: CommandDeps,
  name: string,
  live: LiveProgram,
): Promise<void> {
  const condition = live.program.condition();
  if (condition === 'gone') return;
  if (live.mode === 'paused') {
    // It was let go on from outside, and the row says otherwise.
    if (condition === 'running') await live.program.freeze();
    return;
  }
  const mode = condition === 'stopped' ? 'frozen' : 'running';
  if (mode === live.mode) return;
  await ledger.transact(async (tx) => {
    const isNews = await setHealth(tx, name, mode === 'frozen' ? 'frozen' : null);
    if (!isNews) return;
    const kind = mode === 'frozen' ? 'agent.frozen' : 'agent.thawed';
    await tx.record({ actor: 'system', kind, subject: `agent:${name}` });
  });
  live.mode = mode;
}
