/**
 * Whether a sentence was taken in one of the ways that are right. What changes files has to be so
 * to the letter; what only looks may go deeper or shallower, and ask for its words in any order.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FileRequest } from '../../src/kernel/files/request.ts';
import { endingsOfKind } from '../../src/kernel/files/types.ts';
import type { Understanding } from '../../src/kernel/files/understanding.ts';
import type { Expected } from './rows.ts';

const changes = ['write_file', 'move_file', 'rename_file', 'copy_file', 'delete_file'];

export function isChange(action: unknown): boolean {
  return changes.includes(String(action));
}

export function fits(found: Understanding, expected: readonly Expected[]): boolean {
  return expected.some((each) => {
    if (found.kind === 'understood' && each.kind === 'understood') {
      return isSameRequest(flat(found.request), flat(each.request));
    }
    if (found.kind === 'refused' && each.kind === 'refused') {
      return each.agent === 'any' || each.agent === (found.agent ?? 'nobody');
    }
    return found.kind === each.kind;
  });
}

type Flat = Readonly<Record<string, unknown>>;

/** Filters and options side by side: no two of them have the same name. */
function flat(request: FileRequest | Readonly<Record<string, unknown>>): Flat {
  const { filters, options, ...rest } = request;
  return { ...rest, ...Object(filters), ...Object(options) };
}

function isSameRequest(found: Flat, wanted: Flat): boolean {
  const loose = isChange(found['action']) ? [] : ['recursive', 'exact'];
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...keys].every((key) => {
    if (key.endsWith('_has')) return hasAll(found[key.slice(0, -'_has'.length)], wanted[key]);
    if (loose.includes(key) || wanted[`${key}_has`] !== undefined) return true;
    // An order is only told where there are two.
    if (key === 'order' && wanted[key] === undefined) return true;
    if (key === 'query') return wordsOf(found[key]) === wordsOf(wanted[key]);
    const isName = key === 'name' || key === 'exclude';
    return isName
      ? folded(found[key]) === folded(wanted[key])
      : isDeepStrictEqual(found[key], wanted[key]);
  });
}

function hasAll(found: unknown, wanted: unknown): boolean {
  const all = folded(found)
    .split(/[,\s]+/)
    .flatMap(endingsOf);
  return folded(wanted)
    .split(',')
    .every((each) => all.includes(each));
}

/** `document/*` has `docx` in it. */
function endingsOf(type: string): readonly string[] {
  const plain: Readonly<Record<string, string>> = { 'text/plain': 'txt', 'text/markdown': 'md' };
  return [...(endingsOfKind(type) ?? []), plain[type] ?? type];
}

function wordsOf(query: unknown): string {
  return folded(query).split(/\s+/).toSorted().join(' ');
}

// Patterns of names are compared without their case, as they are where they are used.
function folded(value: unknown): string {
  return value === undefined ? '' : String(value).toLowerCase();
}
