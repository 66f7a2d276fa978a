/**
 * What is done to a memory, as something to be allowed. One's own lie below their scope. What is
 * of others has to be named: no star that was meant for one's own reaches it.
 */
import type { Action, Deed } from '../capability/capability.ts';
import type { MemoryKey } from './memory.ts';

export type MemoryDeed = Extract<Deed, { resource: 'memory' }>;

export function memoryDeed(principal: string, place: MemoryKey, action: Action): MemoryDeed {
  const { head, mustName } = headOf(principal, place);
  const parts = place.key === '' ? [] : place.key.split('/');
  return { resource: 'memory', action, path: [...head, ...parts], mustName };
}

/** Of the key and all that lies below it; of everything where there is no key. */
export function memoriesDeed(principal: string, place: MemoryKey, action: Action): MemoryDeed {
  return { ...memoryDeed(principal, place, action), subtree: true };
}

/** What whoever gave somebody a share has to be allowed for it to count. */
export function sharingDeed(giver: string, deed: MemoryDeed): MemoryDeed {
  const [first, owner] = deed.path;
  // To the one who remembers it is their own.
  const isOwn = first === 'of' && `agent:${owner}` === giver;
  const place = isOwn ? { path: deed.path.slice(2), mustName: [] } : {};
  return { ...deed, ...place, action: 'share' };
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
