import * as z from 'zod';
import { principalNamed } from '../../memory/deps.ts';
import type { MemoryHit } from '../../memory/search.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { callerOf, deedBelow, type MemoryToolDeps } from './deps.ts';
import { agentName, key, query, scope, tags, time } from './input.ts';
import { cutMemory, nameOf, wireMemory } from './wire.ts';

/** The whole is told by memory.get. */
const shownCharacters = 4000;

const schema = z.strictObject({
  query: query.describe('Words; "a phrase" in quotes, the beginning of a word with *, last week'),
  scope: scope.optional(),
  of: agentName.optional().describe('Whose, where only one’s is meant: an agent, or "owner"'),
  prefix: key.optional().describe('Only below this key'),
  tags: tags.optional(),
  after: time.optional(),
  before: time.optional(),
  limit: z.int().min(1).max(50).default(10),
  by: z.enum(['memory', 'thread']).default('memory').describe('thread: one of each conversation'),
});

/** `memory.search` */
export function memorySearch({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.search',
    summary: 'Find memories by what they say, the likeliest first, with what speaks for each',
    schema,
    effect: 'read',
    deeds: () => [],
    async run(args, call) {
      const { of, ...wanted } = args;
      const found = await memory.search(callerOf(call), {
        ...wanted,
        of: of === undefined ? undefined : principalNamed(of),
      });
      // Who may search nowhere of what they ask for is told so.
      if (found.isNowhere === true) {
        const { scope: where = 'long-term', prefix = '' } = args;
        await call.permit(deedBelow({ scope: where, of, key: prefix }, 'search'));
      }
      return { hits: found.hits.map(wireHit), time: found.time };
    },
  });
}

function wireHit({ memory, score, parts, snippet, alike, hasMoreAlike }: MemoryHit) {
  return {
    ...cutMemory(wireMemory(memory), shownCharacters),
    score,
    score_parts: parts,
    snippet,
    alike: alike.length,
    alike_keys: alike.map(({ key: alikeKey, scope: alikeScope, owner }) => ({
      ...{ key: alikeKey, scope: alikeScope, of: nameOf(owner) },
    })),
    ...(hasMoreAlike && alike.length > 0 ? { alike_more: true } : {}),
  };
}
