/** A thread of looking.ts. It does one thing after the other. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toDiskError } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorReport, toReport } from '../../kernel/errors.ts';
import type { Duplicates, FileNature, LookRequest } from '../../kernel/files/look.ts';
import { openTimeZone } from '../time-zone.ts';
import { type DuplicatesRequest, duplicatesPart } from './duplicates-part.ts';
import { type NatureRequest, natureOf } from './file-nature.ts';
import { type ListingPart, listPart } from './list-part.ts';
import { SharedWalk } from './shared-walk.ts';
import { type UsagePart, type UsageRequest, usagePart } from './usage-part.ts';
import { TreeWalk, WalkStopped } from './walk.ts';

/** What a thread is asked for, and what it answers. */
export interface ThreadWorks {
  readonly list: { readonly request: LookRequest; readonly part: ListingPart };
  readonly usage: { readonly request: UsageRequest; readonly part: UsagePart };
  readonly duplicates: { readonly request: DuplicatesRequest; readonly part: Duplicates };
  readonly nature: { readonly request: NatureRequest; readonly part: FileNature };
}

export type ThreadWork = {
  readonly [Kind in keyof ThreadWorks]: {
    readonly kind: Kind;
    readonly request: ThreadWorks[Kind]['request'];
  };
}[keyof ThreadWorks];

export type ThreadPart = ThreadWorks[keyof ThreadWorks]['part'];

export interface ThreadRequest {
  readonly work: ThreadWork;
  readonly cells: SharedArrayBuffer;
  readonly claims: SharedArrayBuffer;
  /** To the thread that walks with this one. */
  readonly other: MessagePort | undefined;
  readonly begins: boolean;
}

export type ThreadAnswer =
  | { readonly kind: 'part'; readonly part: ThreadPart }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly report: ErrorReport };

const zone = openTimeZone(workerData);

parentPort?.on('message', async (request: ThreadRequest) => {
  const answer = await answerTo(request);
  request.other?.close();
  parentPort?.postMessage(answer);
});

async function answerTo(request: ThreadRequest): Promise<ThreadAnswer> {
  try {
    return { kind: 'part', part: await perform(request) };
  } catch (failure) {
    if (failure instanceof WalkStopped) return { kind: 'stopped' };
    const known = toDiskError(failure, request.work.request.base.path);
    if (known instanceof AosError) return { kind: 'failed', report: toReport(known) };
    throw failure;
  }
}

async function perform({ work, ...options }: ThreadRequest): Promise<ThreadPart> {
  if (work.kind === 'nature') return natureOf(work.request, zone);
  const share = new SharedWalk(options.cells, options.other);
  using walk = new TreeWalk({ ...options, request: work.request, share });
  // Awaited here: what the walk holds is closed when this returns.
  if (work.kind === 'list') return await listPart(work.request, walk, zone);
  if (work.kind === 'usage') return await usagePart(work.request, walk, zone);
  return await duplicatesPart(work.request, walk, zone);
}
