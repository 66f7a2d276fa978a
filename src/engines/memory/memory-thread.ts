/** The thread of memory-index.ts. */
import { answerRequests } from '../threads/thread-worker.ts';
import { type MemoryTask, memoryWorks, type WantedIndex } from './memory-works.ts';

export type MemoryWork = WantedIndex & MemoryTask;

answerRequests<MemoryWork>((work) => memoryWorks(work));
