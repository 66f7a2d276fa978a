/**
 * What agents remember. A memory is a value under a key, in one of four scopes; each value that
 * it has had is a version, kept word for word with where it came from and when it was true.
 */

import type { Action, ActionName } from '../capability/capability.ts';
import { AosError } from '../errors.ts';
import type { Instant } from '../ports.ts';

/** `context` is of one run, `working` of what is being done, `long-term` stays, `shared` is many's. */
export const memoryScopes = ['context', 'working', 'long-term', 'shared'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** Whose the memories of the scope `shared` are: their keys begin with the name of a space. */
export const sharedOwner = 'shared';

export interface MemoryKey {
  /** `owner`, `agent:NAME`, or `shared`. */
  readonly owner: string;
  readonly scope: MemoryScope;
  /** Names with a slash between them. */
  readonly key: string;
}

/** One version. */
export interface Memory extends MemoryKey {
  readonly id: number;
  readonly version: number;
  /** As it was stored: a text, or any other value of JSON. */
  readonly value: unknown;
  readonly tags: readonly string[];
  /** Of a conversation: those of one thread are neighbours, in the order in which they came. */
  readonly thread: string | undefined;
  /** Who stored it. */
  readonly author: string;
  /** `tool-call:ID`, `message:ID`, `operation:ID`, or `import`. */
  readonly source: string;
  readonly createdAt: Instant;
  /** When it was so, as far as is known; the end is not in it. */
  readonly validFrom: Instant;
  readonly validTo: Instant | undefined;
  /** From then on it is shown to no reader. */
  readonly expiresAt: Instant | undefined;
  readonly isPinned: boolean;
  readonly forgottenAt: Instant | undefined;
}

export const memoryLimits = {
  keyCharacters: 200,
  keyPartBytes: 255,
  valueBytes: 1024 * 1024,
  tags: 32,
  tagCharacters: 64,
  threadCharacters: 200,
  queryCharacters: 1000,
} as const;

/**
 * How memories may be called, so that capabilities can name them. As in kernel/capability: a part
 * that no capability could name could never be allowed.
 */
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

/**
 * What is done to a memory, as something to be allowed. An agent's own memories lie below their
 * scope. Those of others have to be named: no star that was meant for its own reaches them.
 */
export type MemoryAction = Extract<Action, { resource: 'memory' }>;

export function memoryAction(
  principal: string,
  place: MemoryKey,
  action: ActionName,
): MemoryAction {
  const { head, mustName } = headOf(principal, place);
  const parts = place.key === '' ? [] : place.key.split('/');
  return { resource: 'memory', action, path: [...head, ...parts], mustName };
}

/** Of the key and all that lies below it; of everything where there is no key. */
export function memoriesAction(
  principal: string,
  place: MemoryKey,
  action: ActionName,
): MemoryAction {
  return { ...memoryAction(principal, place, action), subtree: true };
}

/** What the giver of a share has to be allowed for the share to count. */
export function sharingAction(giver: string, action: MemoryAction): MemoryAction {
  const [first, owner] = action.path;
  // To the one who remembers it is their own.
  const isOwn = first === 'of' && `agent:${owner}` === giver;
  const place = isOwn ? { path: action.path.slice(2), mustName: [] } : {};
  return { ...action, ...place, action: 'share' };
}

/** The parts of the path before the key, and which of them no star stands for. */
export function headOf(
  principal: string,
  { owner, scope }: Pick<MemoryKey, 'owner' | 'scope'>,
): { readonly head: readonly string[]; readonly mustName: readonly number[] } {
  if (scope === 'shared') return { head: ['shared'], mustName: [0] };
  if (owner === principal) return { head: [scope], mustName: [] };
  return { head: ['of', owner.replace(/^agent:/, ''), scope], mustName: [0, 1] };
}

/**
 * A vector of the same direction and of length one. Undefined where there is no direction in it.
 */
export function unitVector(numbers: ArrayLike<number>): Float32Array | undefined {
  const vector = Float32Array.from(numbers);
  let squares = 0;
  for (const part of vector) squares += part * part;
  const length = Math.sqrt(squares);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return vector.map((part) => part / length);
}
