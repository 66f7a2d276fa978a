/** A request and an answer for every route that has them; a test holds each against its schema. */
import { daemonExamples } from './examples/daemon.ts';
import type { Examples } from './examples/example.ts';
import { fileExamples } from './examples/files.ts';
import { goalExamples } from './examples/goals.ts';
import { grantExamples } from './examples/grants.ts';
import { memoryExamples } from './examples/memory.ts';
import { messageExamples } from './examples/messages.ts';
import { operationExamples } from './examples/operations.ts';
import { toolExamples } from './examples/tools.ts';
import { transferExamples } from './examples/transfers.ts';

export const examples: Examples = {
  ...daemonExamples,
  ...messageExamples,
  ...grantExamples,
  ...toolExamples,
  ...fileExamples,
  ...memoryExamples,
  ...goalExamples,
  ...transferExamples,
  ...operationExamples,
};
