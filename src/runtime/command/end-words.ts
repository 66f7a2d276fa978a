/** How a program ended, for people. */
import type { ProgramEnd } from '../../kernel/programs.ts';
import { printable } from '../../kernel/quote.ts';

export interface EndFacts {
  readonly end: ProgramEnd;
  /** How long it ran; undefined when nobody watched it all the time. */
  readonly ranMs: number | undefined;
  /** The last of what it wrote. */
  readonly tail: string;
}

export function isOk(end: ProgramEnd): boolean {
  return end.kind === 'exited' && end.code === 0;
}

/** `exited with 3 after 2 s; last lines: …` */
export function endWords({ end, ranMs, tail }: EndFacts): string {
  const when = ranMs === undefined ? 'while no daemon watched' : `after ${duration(ranMs)}`;
  const lines = printable(tail.replaceAll('\r\n', '\n')).trim();
  const last = isOk(end) || lines === '' ? '' : `; last lines: ${lines}`;
  return `${what(end)} ${when}${last}`;
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
