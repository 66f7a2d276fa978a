/** A memory in the words of the wire. */
import type { Memory } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import { timeText } from '../../kernel/text/time-text.ts';

export function wireMemory(memory: Memory) {
  const optional = (at: Instant | undefined) => (at === undefined ? undefined : timeText(at));
  const { scope, key, version, value, tags, thread, author, source } = memory;
  return {
    ...{ scope, key, of: nameOf(memory.owner), version, value, tags },
    ...{ thread, author, source, pinned: memory.isPinned },
    created_at: timeText(memory.createdAt),
    valid_from: timeText(memory.validFrom),
    valid_to: optional(memory.validTo),
    expires_at: optional(memory.expiresAt),
    forgotten_at: optional(memory.forgottenAt),
  };
}

/** `owner`, `shared`, or the name of an agent. */
export function nameOf(owner: string): string {
  return owner.replace(/^agent:/, '');
}

/** Where the value is long, its beginning. */
export function cutMemory(
  { value, ...facts }: ReturnType<typeof wireMemory>,
  mostCharacters: number,
) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const isCut = text.length > mostCharacters;
  const shown = isCut ? text.slice(0, mostCharacters).toWellFormed() : value;
  return { ...facts, value: shown, cut: isCut };
}
