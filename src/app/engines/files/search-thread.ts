/** The thread of search-worker.ts. */
import { parentPort } from 'node:worker_threads';
import { early } from '../../../kernel/early.ts';
import { type ErrorReport, toReport } from '../../../kernel/errors.ts';
import type { SearchRequest } from '../../../kernel/files/search.ts';
import type { IndexWork } from './index-works.ts';
import { indexWorks } from './index-works.ts';
import { searchByWalk } from './search-by-walk.ts';
import { type Stop, stopAfter } from './search-stop.ts';

export type SearchWork =
  | {
      readonly kind: 'walk';
      readonly request: SearchRequest;
      readonly ripgrep: string | undefined;
    }
  | IndexWork;

export type ThreadRequest =
  | {
      readonly kind: 'do';
      readonly number: number;
      readonly work: SearchWork;
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

const running = new Map<number, AbortController>();

async function perform(work: SearchWork, stop: Stop): Promise<unknown> {
  if (work.kind === 'walk') return searchByWalk({ ...work, stop });
  return indexWorks(work, stop);
}

async function answer(asked: Extract<ThreadRequest, { kind: 'do' }>): Promise<ThreadAnswer> {
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

parentPort?.on('message', async (request: ThreadRequest) => {
  if (request.kind === 'cancel') running.get(request.number)?.abort(early);
  else parentPort?.postMessage(await answer(request));
});
