/**
 * How far a transfer is, while it goes: a line on a terminal, drawn anew a few times a second
 * and gone at the end; lines of JSON where a program listens; else nothing.
 */

import type { AgentTransfer } from '../../app/library/agent-transfer.ts';
import type { Clock } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import { paint, type Terminal } from '../core/report.ts';

import { durationWords } from '../core/words.ts';

type SendOptions = Parameters<AgentTransfer['send']>[1];
export type SendProgress = Parameters<NonNullable<SendOptions['onProgress']>>[0];

export interface ProgressView extends Disposable {
  readonly show: (progress: SendProgress) => void;
}

export interface ProgressDeps {
  readonly terminal: Terminal;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly json: boolean;
}

export function progressView(deps: ProgressDeps): ProgressView {
  if (deps.terminal.errIsTerminal === true) return lineView(deps);
  return deps.json ? jsonView(deps) : { show: () => {}, [Symbol.dispose]: () => {} };
}

const drawnEveryMs = 100;
const reportEveryMs = 500;

function lineView({ terminal, clock }: ProgressDeps): ProgressView {
  const due = pacedBy(clock, drawnEveryMs);
  let began: Beginning | undefined;
  let isDrawn = false;
  return {
    show(progress) {
      const now = clock.monotonicMs();
      // What an earlier try has done was not done at this rate.
      if (began?.phase !== progress.phase) began = { ...progress, at: now };
      if (!due(progress)) return;
      isDrawn = true;
      terminal.err(`\r${lineOf(terminal, progress, { began, now })}\u001b[K`);
    },
    [Symbol.dispose]() {
      if (isDrawn) terminal.err('\r\u001b[K');
      isDrawn = false;
    },
  };
}

function jsonView({ terminal, clock }: ProgressDeps): ProgressView {
  const due = pacedBy(clock, reportEveryMs);
  return {
    show(progress) {
      if (!due(progress)) return;
      const { phase, doneBytes: done_bytes, totalBytes: total_bytes } = progress;
      terminal.err(`${JSON.stringify({ progress: { phase, done_bytes, total_bytes } })}\n`);
    },
    [Symbol.dispose]: () => {},
  };
}

/** Whether to tell now: not more often than that, but each phase once. */
function pacedBy(
  clock: ProgressDeps['clock'],
  everyMs: number,
): (progress: SendProgress) => boolean {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reported: SendProgress['phase'] | undefined;
  return ({ phase }) => {
    const now = clock.monotonicMs();
    if (phase === reported && now - reportedAt < everyMs) return false;
    [reportedAt, reported] = [now, phase];
    return true;
  };
}

interface Beginning extends SendProgress {
  readonly at: number;
}

interface Pace {
  readonly began: Beginning;
  readonly now: number;
}

const barCells = 20;

function lineOf(terminal: Terminal, progress: SendProgress, pace: Pace): string {
  const { phase, doneBytes, totalBytes } = progress;
  const rate = rateOf(progress, pace);
  const rateWords = rate === 0 ? '' : `${sizeText(Math.round(rate))}/s`;
  if (totalBytes === null || totalBytes === 0) {
    return cut(terminal, [phase, sizeText(doneBytes), rateWords]);
  }
  const share = Math.min(1, doneBytes / totalBytes);
  const left = rate === 0 ? '' : `${durationWords((1000 * (totalBytes - doneBytes)) / rate)} left`;
  const numbers = [
    `${Math.floor(share * 100)} %`,
    `${sizeText(doneBytes)} of ${sizeText(totalBytes)}`,
    rateWords,
    left,
  ];
  const room = terminal.columns - phase.length - barCells - 6;
  if (room < 20) return cut(terminal, [phase, ...numbers]);
  const words = present(numbers).slice(0, room);
  return `${phase}  ${bar(terminal, share)}  ${words}`;
}

function rateOf({ doneBytes }: SendProgress, { began, now }: Pace): number {
  const seconds = (now - began.at) / 1000;
  return seconds < 0.3 ? 0 : Math.max(0, doneBytes - began.doneBytes) / seconds;
}

function bar({ colorErr }: Terminal, share: number): string {
  const full = Math.round(share * barCells);
  const [done, rest] = ['#'.repeat(full), '.'.repeat(barCells - full)];
  return `[${paint(colorErr, 'good', done)}${paint(colorErr, 'dim', rest)}]`;
}

function present(words: readonly string[]): string {
  return oneLine(words.filter((word) => word !== '').join('  '));
}

function cut({ columns }: Terminal, words: readonly string[]): string {
  return present(words).slice(0, Math.max(10, columns - 1));
}
