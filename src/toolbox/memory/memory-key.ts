/** How a memory is called: a path below `working`, so that capabilities can name it. */
import * as z from 'zod';
import type { Action, Deed } from '../../kernel/capability/capability.ts';

const longestKey = 200;
const longestPartBytes = 255;

export const memoryKey = z
  .string()
  .min(1)
  .max(longestKey)
  .refine(isKey, 'A key is names with "/" between them: none empty, "." or "..", nothing unseen')
  .describe('Such as "plan" or "projects/house/plan"');

// As in kernel/capability: a part that no capability could name could never be allowed.
function isKey(text: string): boolean {
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return false;
  return text.split('/').every(isPart);
}

function isPart(part: string): boolean {
  if (part === '' || part === '.' || part === '..') return false;
  return Buffer.byteLength(part) <= longestPartBytes;
}

export function memoryDeed(key: string, action: Action): Deed {
  return { resource: 'memory', action, path: ['working', ...key.split('/')] };
}
