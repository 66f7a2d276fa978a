import { AosError } from '../kernel/errors.ts';
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
