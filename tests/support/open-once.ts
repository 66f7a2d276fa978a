import { afterAll, beforeAll } from 'vitest';

/**
 * One for all tests of a file or of a describe that change nothing in it, as those do that are
 * refused: to open it takes longer than to ask. Registers the hooks, and returns what a test calls
 * for it.
 */
export function openOnce<T extends AsyncDisposable>(open: () => Promise<T>): () => T {
  let opened: T;

  beforeAll(async () => {
    opened = await open();
  });

  afterAll(() => opened[Symbol.asyncDispose]());

  return () => opened;
}
