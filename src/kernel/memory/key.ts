/** How memories may be called, so that capabilities can name them. */
import { AosError } from '../errors.ts';
import { memoryLimits } from './memory.ts';

/** As in kernel/capability: a part that no capability could name could never be allowed. */
export function isMemoryKey(text: string): boolean {
  if (text.length > memoryLimits.keyCharacters || /[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return false;
  return text.split('/').every(isPart);
}

function isPart(part: string): boolean {
  if (part === '' || part === '.' || part === '..') return false;
  return utf8Bytes(part) <= memoryLimits.keyPartBytes;
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

export const keyRule =
  'A key is names with "/" between them: none empty, "." or "..", nothing unseen, 200 characters in all';

/** Throws `memory.bad-key`. */
export function checkMemoryKey(text: string): void {
  if (isMemoryKey(text)) return;
  throw new AosError('memory.bad-key', {
    message: `That is no key of a memory. ${keyRule}`,
    fix: 'Such as "plan" or "projects/house/plan"',
  });
}
