/** Which transfers somebody wants to see. */
import { canonicalJson } from '../text/canonical-json.ts';

/** `*` stands for any characters, and everything else for itself. In a time that grows evenly. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  if (!text.endsWith(last)) return false;
  const end = text.length - last.length;
  let place = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, place);
    if (found === -1 || found + part.length > end) return false;
    place = found + part.length;
  }
  return true;
}

export type Metadata = Readonly<Record<string, unknown>>;

/** Whether everything that is wanted is there, with these very values. */
export function hasMetadata(metadata: Metadata, wanted: Metadata): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(metadata, key) && isSame(metadata[key], value),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  // Deep values were refused when they came in.
  return canonicalJson(one) === canonicalJson(other);
}

/** How deep lists and objects lie in each other; not counted further than `most`. */
export function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most <= 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map((part) => depthOf(part, most - 1)));
}
