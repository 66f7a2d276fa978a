/** How a program ended, for people. */
import type { Instant } from '../../kernel/ports.ts';
import type { ProgramEnd } from '../../kernel/programs.ts';
import type { SandboxLimit, SandboxLimits } from '../../kernel/sandbox.ts';
import { printable } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';

export interface EndFacts {
  readonly end: ProgramEnd;
  /** How long it ran; undefined when nobody watched it all the time. */
  readonly ranMs: number | undefined;
  /** Where nobody did: when it ended, if it has left word. */
  readonly endedAt?: Instant | undefined;
  /** The last of what it wrote. */
  readonly tail: string;
  /** What it was stopped for. */
  readonly stopped?: StoppedFor | undefined;
}

export interface StoppedFor {
  readonly by: SandboxLimit;
  readonly limits: SandboxLimits;
}

export function isOk(end: ProgramEnd): boolean {
  return end.kind === 'exited' && end.code === 0;
}

/** `exited with 3 after 2 s; last lines: …` */
export function endWords({ end, ranMs, endedAt, tail, stopped }: EndFacts): string {
  const moment = endedAt === undefined ? '' : `at ${momentWords(endedAt)}, `;
  const when =
    ranMs === undefined ? `${moment}while no daemon watched` : `after ${duration(ranMs)}`;
  const lines = printable(tail.replaceAll('\r\n', '\n')).trim();
  const last = isOk(end) || lines === '' ? '' : `; last lines: ${lines}`;
  if (stopped === undefined) return `${what(end)} ${when}${last}`;
  return `was stopped ${when}: it ${passed(stopped)}${last}`;
}

/** `2026-05-01T12:00:00Z` */
export function momentWords(at: Instant): string {
  return timeText(at).replace(/\.\d+Z$/, 'Z');
}

function passed({ by, limits }: StoppedFor): string {
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  switch (by) {
    case 'memory':
      return `used more memory than ${megabytes(limits.memoryBytes)}`;
    case 'workspace':
      return `filled its workspace beyond ${megabytes(limits.workspaceBytes)} or ${limits.workspaceFiles} files, or its outbox or inbox beyond what a mailbox may hold`;
    case 'file-size':
      return `wrote a file of more than ${megabytes(limits.fileBytes)}`;
    case 'processes':
      return `had more than ${limits.processes} processes`;
    case 'output':
      return 'wrote too much';
    case 'time':
      return 'took too long';
  }
}

function what(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exited with ${end.code}`;
    case 'killed':
      return `was killed by ${end.signal}`;
    case 'unknown':
      return 'ended without a word';
  }
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
