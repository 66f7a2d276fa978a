import type { Action, Deed } from '../../kernel/capability/capability.ts';
import { operationOfKey } from '../../kernel/journal/step.ts';
import { memoriesDeed, memoryDeed } from '../../kernel/memory/memory.ts';
import { type MemoryCaller, type PlaceSaid, placeOf } from '../../memory/deps.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import type { ToolCall } from '../../tools/tool.ts';

export interface MemoryToolDeps {
  readonly memory: MemoryManager;
}

export function callerOf({ id, key, principal, signal }: ToolCall): MemoryCaller {
  return { principal, user: `tool-call:${id}`, operation: operationOfKey(key), signal };
}

/** Whoever calls is asked for their own where they do not say whose. */
export function deedOn(said: PlaceSaid, action: Action): Deed {
  return memoryDeed(self, placeOf(self, said), action);
}

/** And of all that lies below it. */
export function deedBelow(said: PlaceSaid, action: Action): Deed {
  return memoriesDeed(self, placeOf(self, said), action);
}

const self = 'agent:';

/** What the grant allows at once; a character has three bytes at most, or is counted as two. */
export function mostShown({ permits }: ToolCall, usual: number): number {
  const bytes = permits[0]?.sizeBytes;
  return bytes === undefined ? usual : Math.min(usual, Math.floor(bytes / 3));
}
