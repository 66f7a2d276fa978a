/** The thread of watch-link.ts. It works on everything at once, a short while on each. */
import { parentPort } from 'node:worker_threads';
import { realClock, realEventLoop } from '../../engines/clock.ts';
import { exactMemory } from './watch-memory.ts';
import { type WalkCount, type WalkOrder, walkFolder } from './watch-walk.ts';

export type WatchWork =
  | { readonly kind: 'folder'; readonly order: WalkOrder }
  | { readonly kind: 'memory'; readonly pids: readonly number[] };

export interface WatchRequest {
  readonly number: number;
  /** Undefined: no caller waits for that number any more. */
  readonly work: WatchWork | undefined;
}

export type WatchOutcome = WalkCount | number;

export type WatchAnswer = { readonly number: number } & (
  | { readonly outcome: WatchOutcome; readonly tookMs: number }
  | { readonly failure: string }
);

interface Job {
  readonly work: Generator<undefined, WatchOutcome>;
  tookMs: number;
}

const turnMs = 10;
const jobs = new Map<number, Job>();
let isTurnAhead = false;

function begin(work: WatchWork): Generator<undefined, WatchOutcome> {
  return work.kind === 'folder' ? walkFolder(work.order) : exactMemory(work.pids);
}

function turnLater(): void {
  if (isTurnAhead || jobs.size === 0) return;
  isTurnAhead = true;
  realEventLoop.atEndOfTurn(turn);
}

function turn(): void {
  isTurnAhead = false;
  for (const [number, job] of jobs) {
    try {
      const outcome = goOn(job);
      if (outcome !== undefined) end(number, { number, outcome, tookMs: job.tookMs });
    } catch (failure) {
      end(number, { number, failure: String(failure) });
    }
  }
  turnLater();
}

function goOn(job: Job): WatchOutcome | undefined {
  const begunMs = realClock.monotonicMs();
  let spentMs = 0;
  let step = job.work.next();
  while (step.done !== true && spentMs < turnMs) {
    step = job.work.next();
    spentMs = realClock.monotonicMs() - begunMs;
  }
  job.tookMs += realClock.monotonicMs() - begunMs;
  return step.done === true ? plain(step.value) : undefined;
}

// What has a class does not go from thread to thread.
function plain(outcome: WatchOutcome): WatchOutcome {
  if (typeof outcome === 'number') return outcome;
  const { bytes, files, fresh, isOver, memoryBytes } = outcome;
  return { bytes, files, fresh, isOver, memoryBytes };
}

function end(number: number, answer: WatchAnswer): void {
  jobs.delete(number);
  parentPort?.postMessage(answer);
}

parentPort?.on('message', ({ number, work }: WatchRequest) => {
  if (work === undefined) {
    // Closes what it holds open.
    jobs.get(number)?.work.return(0);
    jobs.delete(number);
    return;
  }
  jobs.set(number, { work: begin(work), tookMs: 0 });
  turnLater();
});
