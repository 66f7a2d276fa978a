import type { StretchResult } from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';

/** What went wrong in the other thread, to be thrown in this one. */
export function resultError(result: StretchResult): Error {
  if (result.kind !== 'failed') return new Error(`a stretch came back as ${result.kind}`);
  const { code, ...words } = result.error;
  return new AosError(code, words);
}
