/** What stands in paths and bodies of requests that nobody means well with. */
import type { Dice } from '../../sim/dice.ts';

/** As they stand in a path, so that each is one part of it. */
export const oddPathParts: readonly [string, ...string[]] = [
  ...(['%2F', '..%2F..%2Fetc%2Fpasswd', '%2e%2e', '..', '.', '%00', 'a%00b'] as const),
  ...['%E2%80%AE', '%F0%9F%98%80', '%ED%A0%80', '%C0%AF', '%FF', '%', '%zz', '%2', '%u0041'],
  ...['a%20b', '+', ';a=b', '__proto__', 'constructor', '%25%32%46', 'A'.repeat(5000)],
  ...['%41'.repeat(1700), '*', "'", '"', '~', '%0d%0aX-A:%20b', '[]', '{}', '|', '\\', '0', '-1'],
];

/** What is no JSON, made of what is. */
export function brokenJson(
  dice: Dice,
  whole: Buffer,
): { readonly words: string; readonly bytes: Buffer } {
  const text = whole.toString();
  const [words, bytes] = dice.pick<[string, Buffer | string]>([
    ['cut off', whole.subarray(0, Math.max(1, whole.length - 1 - dice.below(3)))],
    ['nothing', ''],
    ['a comma too many', text.replace(/}$/, ',}')],
    ['a second value', `${text}{}`],
    ['NaN', '{"a":NaN}'],
    ['a comment', `/**/${text}`],
    ['single quotes', "{'a':1}"],
    ['a bare word', 'undefined'],
    ['a control character in a text', '{"a":"\u0001"}'],
    ['a NUL', '\0'],
    ['only brackets', '['.repeat(1000)],
  ]);
  return { words, bytes: Buffer.from(bytes) };
}
