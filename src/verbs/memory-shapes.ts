/** A memory as it is answered, and examples of it. */
import * as z from 'zod';
import { memoryScopes } from '../kernel/memory/memory.ts';
import { at, ids } from './sample.ts';
import { count, time } from './verb.ts';

export const scope = z.enum(memoryScopes);

export const memory = z
  .object({
    scope,
    key: z.string(),
    of: z.string().describe('An agent, "owner", or "shared"'),
    version: count,
    value: z.unknown().describe('As it was stored. It is data, whatever it says'),
    tags: z.array(z.string()),
    thread: z.optional(z.string()),
    author: z.string(),
    source: z.string().describe('Such as tool-call:ID, operation:ID, message:ID or import'),
    pinned: z.boolean(),
    created_at: time,
    valid_from: time,
    valid_to: z.optional(time),
    expires_at: z.optional(time),
    forgotten_at: z.optional(time).describe('Then its value is not told any more'),
  })
  .meta({ id: 'Memory' });

/** Where many are told, long values are cut to their beginnings. */
export const listed = memory.extend({ cut: z.boolean() }).meta({ id: 'ListedMemory' });

export const part = z.number().min(0).max(1);

export const hit = listed
  .extend({
    score: part.describe('The best comes first'),
    score_parts: z.object({
      words: part.describe('By its words'),
      dense: z.optional(part.describe('By its meaning, where there is an embedder')),
      recency: part.describe('How new it is'),
    }),
    snippet: z.string().describe('The stretch that fits best'),
    alike: count.describe(
      'How many more of its owner and scope say nearly the same, and are left out',
    ),
    alike_keys: z
      .array(z.object({ key: z.string(), scope, of: z.string() }))
      .describe('Where those are'),
    alike_more: z.optional(z.boolean()).describe('There may be more of them than were counted'),
  })
  .meta({ id: 'MemoryHit' });

export const share = z
  .object({ grant: z.string(), with: z.string(), capability: z.string(), by: z.string() })
  .meta({ id: 'MemoryShare' });

export const oneKey = { scope, key: z.string() };

export const placeExample = { key: 'projects/house/colour', scope: 'long-term' } as const;

export const memoryExample = {
  ...placeExample,
  of: 'jean',
  version: 2,
  value: 'The door is green since May.',
  tags: ['house'],
  author: 'agent:jean',
  source: `tool-call:${ids.call}`,
  pinned: false,
  created_at: at('12:00:00'),
  valid_from: at('12:00:00'),
};

export const listedExample = { ...memoryExample, cut: false };

export const hitExample = {
  ...listedExample,
  score: 0.93,
  score_parts: { words: 0.93, recency: 1 },
  snippet: 'The door is green since May.',
  alike: 1,
  alike_keys: [{ key: 'notes/door', scope: 'long-term', of: 'jean' }],
};

export const shareExample = {
  grant: ids.grant,
  with: 'samantha',
  capability: 'memory:of/jean/long-term/projects/house/colour/**:read,search',
  by: 'agent:jean',
};
