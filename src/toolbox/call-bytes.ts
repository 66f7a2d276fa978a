/** Bytes that a call brings, and how many a grant allows. */

import { AosError } from '../kernel/errors.ts';
import { must } from '../kernel/must.ts';
import type { Permit } from '../security/permit.ts';

/** Throws `tool.too-large` for what is more than a grant allows at once. */
export function checkSize(permit: Permit | undefined, text: string, what: string): void {
  const limitBytes = permit?.sizeBytes;
  const bytes = Buffer.byteLength(text);
  if (limitBytes === undefined || bytes <= limitBytes) return;
  throw new AosError('tool.too-large', {
    message: `${what} has ${bytes} bytes, and the grant allows ${limitBytes}`,
    fix: 'Ask for less at a time',
    details: { bytes, limit_bytes: limitBytes },
  });
}

/** What a call brings as a text or as base64, as bytes that are read once. */
export async function* givenBytes({
  content,
  content_base64: base64,
}: {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
}): AsyncGenerator<Uint8Array, void, void> {
  yield content === undefined
    ? Buffer.from(must(base64, 'The content that was given'), 'base64')
    : Buffer.from(content, 'utf8');
}
