/** The thread of bulk-disk.ts. */
import { parentPort } from 'node:worker_threads';
import {
  bulkOver,
  type Move,
  type Moved,
  type MoveOptions,
  type NewFile,
  type TakeLimits,
  type Taken,
} from '../../kernel/bulk-disk.ts';
import { AosError } from '../../kernel/errors.ts';
import { realDisk } from './disk.ts';

export type BulkWork =
  | { readonly kind: 'take'; readonly paths: readonly string[]; readonly limits: TakeLimits }
  | { readonly kind: 'write'; readonly files: readonly NewFile[] }
  | { readonly kind: 'move'; readonly moves: readonly Move[]; readonly options: MoveOptions };

export interface BulkRequest {
  readonly number: number;
  readonly work: BulkWork;
}

type Answer = Taken | Moved | 'written' | undefined;

export interface BulkAnswer {
  readonly number: number;
  /** Undefined for what failed; of files that were written, one for all of them. */
  readonly answers: readonly Answer[];
}

const disk = bulkOver(realDisk);

async function perform(work: BulkWork): Promise<readonly Answer[]> {
  if (work.kind === 'write') return [await written(work.files)];
  const answers =
    work.kind === 'take'
      ? await disk.takeFiles(work.paths, work.limits)
      : await disk.moveFiles(work.moves, work.options);
  return answers.map((each) => (each.failure === undefined ? each : undefined));
}

async function written(files: readonly NewFile[]): Promise<Answer> {
  try {
    await disk.writeFiles(files);
    return 'written';
  } catch (failure) {
    if (failure instanceof AosError) return undefined;
    throw failure;
  }
}

parentPort?.on('message', async ({ number, work }: BulkRequest) => {
  const answer: BulkAnswer = { number, answers: await perform(work) };
  parentPort?.postMessage(answer);
});
parentPort?.postMessage('ready');
