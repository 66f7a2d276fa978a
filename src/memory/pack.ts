/**
 * What a model is told of its memories when it begins: what is pinned, then what fits its goal,
 * as far as the budget of tokens goes. It is data, and marked as such.
 */

import {
  estimateMessage,
  estimateTokens,
  rememberedItemText,
  rememberedText,
} from '../kernel/journal/compact.ts';
import type { RememberedItem } from '../kernel/journal/step.ts';
import { type Memory, memoryScopes } from '../kernel/memory/memory.ts';
import { hasMemories, pinnedMemories, rememberedIds } from '../ledger/memory/memories.ts';
import { memoryReach } from '../security/reach.ts';
import type { MemoryActor, MemoryDeps } from './deps.ts';
import type { MemoryFound, MemoryQuery } from './search.ts';
import { noteSeen } from './seen.ts';
import { memoryOf } from './store.ts';

export interface PackRequest {
  readonly goal: string;
  /** How many tokens it may take in all. */
  readonly tokens: number;
}

/** The least that one takes. */
const fewestTokens = 20;
const mostRanked = 20;
const goalCharacters = 500;
/** One of them does not crowd out the rest. */
const largest = { share: 0.5, tokens: 200 };

export async function packMemories(
  deps: MemoryDeps,
  search: (caller: MemoryActor, query: MemoryQuery) => Promise<MemoryFound>,
  caller: MemoryActor,
  { goal, tokens }: PackRequest,
): Promise<readonly RememberedItem[]> {
  if (tokens <= 0 || !(await hasAny(deps, caller))) return [];
  const pinned = await pinnedOf(deps, caller, Math.ceil(tokens / fewestTokens));
  const found = await rankedFor(search, caller, goal);
  const known = new Set(pinned.map(({ id }) => id));
  const ranked = found.filter(({ id }) => !known.has(id));
  const items: RememberedItem[] = [];
  let left = tokens - estimateMessage({ role: 'user', text: rememberedText([]) });
  for (const { memory, why } of [
    ...pinned.map((memory) => ({ memory, why: 'pinned' as const })),
    ...ranked.map((memory) => ({ memory, why: 'fits' as const })),
  ]) {
    const most = Math.max(largest.tokens, Math.floor(tokens * largest.share));
    const item = itemOf(memory, why, Math.min(left, most));
    if (item === undefined) continue;
    items.push(item);
    left -= costOf(item);
  }
  const shown = new Set(items.map(({ id }) => id));
  const gone = await notePinned(
    deps,
    caller,
    pinned.filter(({ id }) => shown.has(id)),
  );
  return items.filter(({ id }) => !gone.has(id));
}

/** Which of them were purged or forgotten since they were read: those are not shown. */
async function notePinned(
  { ledger }: MemoryDeps,
  caller: MemoryActor,
  shown: readonly Memory[],
): Promise<ReadonlySet<number>> {
  if (shown.length === 0) return new Set();
  const ids = shown.map(({ id }) => id);
  return ledger.transact(async (tx) => {
    const there = await rememberedIds(tx, ids);
    const seen = shown.filter(({ id }) => there.has(id));
    await noteSeen(tx, caller, seen);
    return new Set(ids.filter((id) => !there.has(id)));
  });
}

/** Most agents remember nothing, and begin without a search. */
async function hasAny(
  { ledger, grants }: MemoryDeps,
  { principal }: MemoryActor,
): Promise<boolean> {
  if (await hasMemories(ledger.committed, principal)) return true;
  const reach = await memoryReach(grants, principal, 'search');
  return reach.some(({ owner }) => owner !== principal);
}

/** No more than could ever be told: each may be long. */
async function pinnedOf(
  { ledger, clock }: MemoryDeps,
  { principal }: MemoryActor,
  most: number,
): Promise<readonly Memory[]> {
  const moment = { now: clock.now(), at: null };
  const memories: Memory[] = [];
  for (const scope of memoryScopes.filter((each) => each !== 'shared')) {
    const page = { owner: principal, scope, limit: most - memories.length };
    const rows = await pinnedMemories(ledger.committed, page, moment);
    memories.push(...rows.map(memoryOf));
  }
  return memories;
}

/** What came of runs before is there for a review, and is not told by itself. */
async function rankedFor(
  search: (caller: MemoryActor, query: MemoryQuery) => Promise<MemoryFound>,
  caller: MemoryActor,
  goal: string,
): Promise<readonly Memory[]> {
  const query = goal.slice(0, goalCharacters).toWellFormed().replaceAll('\0', ' ');
  // A goal without a word in it recalls nothing.
  if (!/[\p{L}\p{N}]/u.test(query)) return [];
  const { hits } = await search(caller, {
    ...{ query, limit: mostRanked, withoutScope: 'context', withoutTags: [outcomeTag] },
    // A model sees no keys of others like it: only the very same need not be told again.
    once: 'equal',
  });
  return hits.map(({ memory }) => memory);
}

function itemOf(
  { id, owner, scope, key, version, value }: Memory,
  why: RememberedItem['why'],
  tokens: number,
): RememberedItem | undefined {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shortened({ id, owner, scope, key, version, why, text }, tokens);
}

/** It is not worth its frame where less of it would be left. */
const fewestKept = 48;

/** Nothing where too little of it would be left. */
function shortened(item: RememberedItem, tokens: number): RememberedItem | undefined {
  if (costOf(item) <= tokens) return item;
  const room = tokens - costOf({ ...item, text: '' });
  if (room < fewestKept) return undefined;
  let kept = item.text.slice(0, room * 3);
  for (;;) {
    const cut = { ...item, text: `${kept.toWellFormed()} […]` };
    if (costOf(cut) <= tokens) return cut;
    kept = kept.slice(0, Math.floor(kept.length * 0.8));
  }
}

/** As it is read then: with its frame. */
function costOf(item: RememberedItem): number {
  return estimateTokens(`\n${rememberedItemText(item)}`);
}

/** What a run came to. */
export const outcomeTag = 'outcome';
