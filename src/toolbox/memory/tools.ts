/** The tools `memory.*`. Erasing for good, exporting and importing are the owner's, and no tools. */
import { operationOfKey } from '../../kernel/journal/step.ts';
import { type Memory, memoryLimits, sharedOwner } from '../../kernel/memory/memory.ts';
import { placeOf, principalNamed } from '../../kernel/memory/place.ts';
import { storedValue } from '../../kernel/memory/value.ts';
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { MemoryActor } from '../../memory/deps.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import type { MemoryHit } from '../../memory/search.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import { searchPermission, memoryVerbs as verbs } from '../../verbs/memory.ts';
import { checkSize } from '../call-bytes.ts';

export interface MemoryToolDeps {
  readonly memory: MemoryManager;
}

/** The whole value is told by memory.get. */
const shownCharacters = { list: 200, history: 4000, search: 4000 };

export function memoryTools(deps: MemoryToolDeps): readonly Tool[] {
  return [...recallTools(deps), ...listTools(deps), ...storeTools(deps), ...shareTools(deps)];
}

function recallTools({ memory }: MemoryToolDeps): readonly Tool[] {
  return [
    toolOf(verbs.getMemory, undefined, {
      // In JSON a character may take six bytes.
      outputBytes: 6 * memoryLimits.valueBytes + 64 * 1024,
      async run(args, call) {
        const where = placeOf(call.principal, args);
        const found = await memory.retrieve(callerOf(call), where, { asOf: args.as_of });
        if (found === undefined) return { key: args.key, scope: args.scope, found: false };
        checkSize(call.permits[0], JSON.stringify(found.value), 'The memory');
        return { found: true, ...wireMemory(found) };
      },
    }),
    toolOf(verbs.searchMemory, undefined, {
      async run(args, call) {
        const { of, ...wanted } = args;
        const found = await memory.search(callerOf(call), {
          ...wanted,
          of: of === undefined ? undefined : principalNamed(of),
        });
        // A caller that may search nowhere of what it asks for is told so.
        if (found.isNowhere === true) {
          for (const action of searchPermission(args)) await call.permit(action);
        }
        return { hits: found.hits.map(wireHit), time: found.time };
      },
    }),
  ];
}

function listTools({ memory }: MemoryToolDeps): readonly Tool[] {
  return [
    toolOf(verbs.listMemories, undefined, {
      async run({ scope, of, prefix, as_of: asOf, cursor, limit }, call) {
        const self = of === undefined ? call.principal : principalNamed(of);
        const owner = scope === 'shared' ? sharedOwner : self;
        const page = { owner, scope, prefix, after: cursor, limit: limit + 1, asOf };
        const found = await memory.list(callerOf(call), page);
        const shown = found.slice(0, limit);
        const next =
          found.length > limit ? must(shown.at(-1), 'The last memory of a page').key : null;
        return { memories: cutAll(shown, mostShown(call, shownCharacters.list)), next };
      },
    }),
    toolOf(verbs.memoryHistory, undefined, {
      async run({ before, limit, ...said }, call) {
        const where = placeOf(call.principal, said);
        const found = await memory.history(callerOf(call), where, { before, limit: limit + 1 });
        const shown = found.slice(0, limit);
        const next =
          found.length > limit ? must(shown.at(-1), 'The last version of a page').version : null;
        return { versions: cutAll(shown, mostShown(call, shownCharacters.history)), next };
      },
    }),
  ];
}

function storeTools({ memory }: MemoryToolDeps): readonly Tool[] {
  return [
    toolOf(verbs.storeMemory, undefined, {
      repeatable: true,
      async run(args, call) {
        const { value, ttl_seconds: ttl } = args;
        checkSize(call.permits[0], storedValue(value).value, 'It');
        const { operation, user: source } = callerOf(call);
        const stored = await memory.store({
          ...{ place: placeOf(call.principal, args), value, author: call.principal },
          ...{ tags: args.tags, thread: args.thread, source, operation },
          ...{ validFrom: args.valid_from, validTo: args.valid_to, isPinned: args.pin },
          ttlMs: ttl === undefined ? undefined : ttl * 1000,
        });
        const { key, scope, version } = stored.memory;
        return { key, scope, version, stored: stored.isNew };
      },
    }),
    toolOf(verbs.pinMemory, undefined, {
      repeatable: true,
      async run({ pinned, ...said }, { principal }) {
        const found = await memory.pin(placeOf(principal, said), pinned);
        return {
          key: found.key,
          scope: found.scope,
          version: found.version,
          pinned: found.isPinned,
        };
      },
    }),
    toolOf(verbs.forgetMemory, undefined, {
      async run(args, { principal }) {
        await memory.forget(placeOf(principal, args), { below: false, actor: principal });
        return { key: args.key, scope: args.scope, forgotten: true };
      },
    }),
  ];
}

function shareTools({ memory }: MemoryToolDeps): readonly Tool[] {
  return [
    toolOf(verbs.shareMemory, undefined, {
      repeatable: true,
      async run({ with: to, expires, ...said }, { principal }) {
        const shared = { place: placeOf(principal, said), to, expires };
        const grant = await memory.share(shared, principal);
        return { key: said.key, scope: said.scope, with: to, grant: grant.id };
      },
    }),
    toolOf(verbs.unshareMemory, undefined, {
      async run({ with: to, ...said }, { principal }) {
        const taken = await memory.unshare({ place: placeOf(principal, said), to }, principal);
        return { key: said.key, scope: said.scope, with: to, revoked: taken.map(({ id }) => id) };
      },
    }),
    toolOf(verbs.memoryShares, undefined, {
      async run(_args, { principal }) {
        const grants = await memory.shares(principal);
        const shares = grants.map(({ id, principal: holder, capability, granted_by }) => ({
          ...{ grant: id, with: nameOf(holder), capability, by: granted_by },
        }));
        return { shares };
      },
    }),
  ];
}

function callerOf({ id, key, principal, signal }: ToolCall): MemoryActor {
  return { principal, user: `tool-call:${id}`, operation: operationOfKey(key), signal };
}

/** What the grant allows at once; a character has three bytes at most, or is counted as two. */
function mostShown({ permits }: ToolCall, usual: number): number {
  const bytes = permits[0]?.sizeBytes;
  return bytes === undefined ? usual : Math.min(usual, Math.floor(bytes / 3));
}

function wireHit({ memory, score, parts, snippet, alike, hasMoreAlike }: MemoryHit) {
  return {
    ...cutMemory(wireMemory(memory), shownCharacters.search),
    ...{ score, score_parts: parts, snippet, alike: alike.length },
    alike_keys: alike.map(({ key, scope, owner }) => ({ key, scope, of: nameOf(owner) })),
    ...(hasMoreAlike && alike.length > 0 ? { alike_more: true } : {}),
  };
}

function wireMemory(memory: Memory) {
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
function nameOf(owner: string): string {
  return owner.replace(/^agent:/, '');
}

function cutAll(memories: readonly Memory[], mostCharacters: number) {
  return memories.map((memory) => cutMemory(wireMemory(memory), mostCharacters));
}

/** Where the value is long, its beginning. */
function cutMemory({ value, ...facts }: ReturnType<typeof wireMemory>, mostCharacters: number) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const isCut = text.length > mostCharacters;
  const shown = isCut ? text.slice(0, mostCharacters).toWellFormed() : value;
  return { ...facts, value: shown, cut: isCut };
}
