/** The thread of searching.ts. */
import type { SearchRequest } from '../../../kernel/files/look.ts';
import { answerRequests } from '../../threads/thread-worker.ts';
import { type IndexWork, indexWorks } from '../index/works.ts';
import { searchByWalk } from './by-walk.ts';

export type SearchWork =
  | {
      readonly kind: 'walk';
      readonly request: SearchRequest;
      readonly ripgrep: string | undefined;
    }
  | IndexWork;

answerRequests<SearchWork>((work, stop) =>
  work.kind === 'walk' ? searchByWalk({ ...work, stop }) : indexWorks(work, stop),
);
