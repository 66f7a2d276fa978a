/** What a thread of thread-worker.ts is asked, and how it answers. */
import { parentPort } from 'node:worker_threads';
import { type ErrorReport, toReport } from '../../kernel/errors.ts';
import { early } from '../../kernel/turns.ts';
import { type Stop, stopAfter } from '../files/search/stop.ts';

export type ThreadRequest<Work> =
  | {
      readonly kind: 'do';
      readonly number: number;
      readonly work: Work;
      readonly timeLimitMs: number;
      /** Set when nobody waits any more. */
      readonly flag: Int32Array;
    }
  | { readonly kind: 'cancel'; readonly number: number };

/** Errors do not go from thread to thread. */
export type ThreadAnswer = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly report: ErrorReport }
);

/** Called once, by the thread: from then on it does whatever it is asked. */
export function answerRequests<Work>(perform: (work: Work, stop: Stop) => unknown): void {
  const running = new Map<number, AbortController>();

  async function answer(
    asked: Extract<ThreadRequest<Work>, { kind: 'do' }>,
  ): Promise<ThreadAnswer> {
    const { number, work, timeLimitMs, flag } = asked;
    const cancelled = new AbortController();
    running.set(number, cancelled);
    using stop = stopAfter(timeLimitMs, flag, cancelled.signal);
    try {
      return { number, result: await perform(work, stop) };
    } catch (failure) {
      return { number, report: toReport(failure) };
    } finally {
      running.delete(number);
    }
  }

  parentPort?.on('message', async (request: ThreadRequest<Work>) => {
    if (request.kind === 'cancel') running.get(request.number)?.abort(early);
    else parentPort?.postMessage(await answer(request));
  });
}
