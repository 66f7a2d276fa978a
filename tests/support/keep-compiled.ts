import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const variable = 'NODE_COMPILE_CACHE';

/**
 * For a file that starts many threads or programs of ours: they are sources here, and each would
 * strip and compile all of its own anew, which is half of what a short one costs. What strips them
 * is WebAssembly, so that this also keeps it out of threads that start and end by the hundred.
 */
export function keepCompiled(): void {
  let before: string | undefined;

  beforeAll(() => {
    before = process.env[variable];
    const runFolder = process.env['AOS_TEST_RUN_FOLDER'];
    if (runFolder !== undefined) process.env[variable] ??= join(runFolder, 'compiled');
  });

  // The next file of this worker may be one that asks what its programs inherit.
  afterAll(() => {
    if (before === undefined) delete process.env[variable];
    else process.env[variable] = before;
  });
}
