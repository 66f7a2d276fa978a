/** What the row of an agent keeps of its program, and where that program's files are. */
import { join } from 'node:path';
import { type CommandSpec, readSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { ProgramRecord } from '../../kernel/programs.ts';
import { quote } from '../../kernel/text/quote.ts';
import { workspaceOf } from '../../security/agent-folders.ts';

export interface StoredProgram {
  readonly record: ProgramRecord;
  /** Where in its log this start begins. */
  readonly logFrom: number;
  /** It was about to be started; whether it was, nobody knows. Its record has no pid. */
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
