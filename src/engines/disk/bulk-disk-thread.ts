/** The thread of bulk-disk.ts. */
import { parentPort } from 'node:worker_threads';
import {
  type BulkMove,
  bulkOver,
  type Moved,
  type MoveOptions,
  type NewFile,
  type TakeLimits,
  type TakenOrFailed,
} from '../../kernel/disk/bulk-disk.ts';
import { AosError, type ErrorReport, toReport } from '../../kernel/errors.ts';
import { realDisk } from './disk.ts';

export type BulkWork =
  | { readonly kind: 'take'; readonly paths: readonly string[]; readonly limits: TakeLimits }
  | { readonly kind: 'write'; readonly files: readonly NewFile[] }
  | { readonly kind: 'move'; readonly moves: readonly BulkMove[]; readonly options: MoveOptions };

export interface BulkRequest {
  readonly number: number;
  readonly work: BulkWork;
}

/** Of files that were written, one for all of them. Errors do not go from thread to thread. */
export type PlainAnswer =
  | Exclude<TakenOrFailed | Moved, { readonly failure: AosError }>
  | PlainFailure;
export type PlainFailure = { readonly report: ErrorReport };

export interface BulkAnswer {
  readonly number: number;
  readonly answers: readonly PlainAnswer[];
}

const disk = bulkOver(realDisk);

async function perform(work: BulkWork): Promise<readonly PlainAnswer[]> {
  if (work.kind === 'write') return [await written(work.files)];
  const answers: readonly (TakenOrFailed | Moved)[] =
    work.kind === 'take'
      ? await disk.takeFiles(work.paths, work.limits)
      : await disk.moveFiles(work.moves, work.options);
  return answers.map((each) =>
    each.failure === undefined ? each : { report: toReport(each.failure) },
  );
}

async function written(files: readonly NewFile[]): Promise<PlainAnswer> {
  try {
    await disk.writeFiles(files);
    return {};
  } catch (failure) {
    if (failure instanceof AosError) return { report: toReport(failure) };
    throw failure;
  }
}

parentPort?.on('message', async ({ number, work }: BulkRequest) => {
  const answer: BulkAnswer = { number, answers: await perform(work) };
  parentPort?.postMessage(answer);
});
parentPort?.postMessage('ready');
