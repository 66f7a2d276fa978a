/** What agents remember. */
import * as z from 'zod';
import { memoryLimits, memoryScopes } from '../kernel/memory/memory.ts';
import { at, ids } from './sample.ts';
import { count, get, post, time, type Verb } from './verb.ts';

const scope = z.enum(memoryScopes);

const name = z.string().min(1).max(200);

// Which keys, tags and queries there may be is said in better words by the tools.
const key = z
  .string()
  .min(1)
  .max(1000)
  .describe('Such as projects/house/plan; of what is shared the first part is its space');

const moment = z.iso.datetime({ offset: true }).describe('Such as 2026-11-16T12:00:00Z');

const of = z.optional(
  name.describe('Whose: an agent, or "owner"; one’s own where nothing is said'),
);

const place = { key, scope: z.optional(scope.describe('working where nothing is said')), of };

const tags = z.array(z.string().max(1000)).max(100);

const memory = z
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
const listed = memory.extend({ cut: z.boolean() }).meta({ id: 'ListedMemory' });

const part = z.number().min(0).max(1);

const hit = listed
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

const share = z
  .object({ grant: z.string(), with: z.string(), capability: z.string(), by: z.string() })
  .meta({ id: 'MemoryShare' });

// Room for a value of a MiB of which every character is spelt out.
const storeBytes = 8 * 1024 * 1024;

/** A tool of the same name, through the one door. */
const throughTool = {
  ...post,
  who: 'any',
  ownKey: true,
  query: z.strictObject({ as: z.optional(name.describe('For the owner: the agent to act for')) }),
} as const;

const oneKey = { scope, key: z.string() };

const whose = {
  of: z.optional(name.describe('An agent; the owner where nothing is said')),
  scope: z.optional(scope),
};

const placeExample = { key: 'projects/house/colour', scope: 'long-term' } as const;

const memoryExample = {
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

const listedExample = { ...memoryExample, cut: false };

export const memoryVerbs = {
  storeMemory: {
    ...throughTool,
    path: '/api/v1/memory/store',
    summary: 'Remember something under a key; what was there before is kept as a version',
    input: z.strictObject({
      ...place,
      value: z.unknown().describe('A text, or any other value of JSON; at most 1 MiB'),
      tags: z.optional(tags),
      thread: z.optional(z.string().max(1000).describe('The conversation that it is a part of')),
      valid_from: z.optional(moment),
      valid_to: z.optional(moment),
      ttl_seconds: z.optional(z.int().min(1).describe('How long it is kept')),
      pin: z.optional(z.boolean().describe('Told to a model before everything else')),
    }),
    bodyBytes: storeBytes,
    output: z.object({
      ...oneKey,
      version: count,
      stored: z.boolean().describe('false where the same stood there already'),
    }),
    examples: {
      input: {
        ...placeExample,
        value: memoryExample.value,
        tags: ['house'],
        ttl_seconds: 2_592_000,
      },
      output: { ...placeExample, version: 2, stored: true },
    },
  },
  getMemory: {
    ...throughTool,
    path: '/api/v1/memory/get',
    summary: 'What was stored under a key, now or at another time',
    input: z.strictObject({ ...place, as_of: z.optional(moment) }),
    output: z.discriminatedUnion('found', [
      memory.extend({ found: z.literal(true) }).meta({ id: 'FoundMemory' }),
      z.object({ found: z.literal(false), ...oneKey }),
    ]),
    examples: { input: placeExample, output: { found: true, ...memoryExample } },
  },
  searchMemory: {
    ...throughTool,
    path: '/api/v1/memory/search',
    summary: 'Memories by what they say, the likeliest first, with what speaks for each',
    input: z.strictObject({
      query: z
        .string()
        .min(1)
        .max(4 * memoryLimits.queryCharacters)
        .describe('Words, "a phrase", the beginning of a word with *, times such as last week'),
      scope: z.optional(scope.describe('All that may be searched where nothing is said')),
      of,
      prefix: z.optional(key.describe('Only this key and what lies below it')),
      tags: z.optional(tags.describe('All of these')),
      after: z.optional(moment),
      before: z.optional(moment),
      limit: z.optional(z.int().min(1).max(50).describe('10 where nothing is said')),
      by: z.optional(z.enum(['memory', 'thread']).describe('thread: one of each conversation')),
    }),
    output: z.object({
      hits: z.array(hit),
      time: z.optional(z.string().describe('What the query says of time: that comes first')),
    }),
    examples: {
      input: { query: 'what colour was the door last week', scope: 'long-term' },
      output: {
        hits: [
          {
            ...listedExample,
            score: 0.93,
            score_parts: { words: 0.93, recency: 1 },
            snippet: 'The door is green since May.',
            alike: 1,
            alike_keys: [{ key: 'notes/door', scope: 'long-term', of: 'jean' }],
          },
        ],
        time: 'from 21 to 27 January 2030',
      },
    },
  },
  listMemories: {
    ...throughTool,
    path: '/api/v1/memory/list',
    summary: 'What is remembered, by key; long values are cut to their beginnings',
    input: z.strictObject({
      scope: z.optional(scope.describe('working where nothing is said')),
      of,
      prefix: z.optional(key.describe('Only this key and what lies below it')),
      as_of: z.optional(moment),
      cursor: z.optional(key.describe('"next" of the page before')),
      limit: z.optional(z.int().min(1).max(200).describe('50 where nothing is said')),
    }),
    output: z.object({
      items: z.array(listed),
      next: z.nullable(z.string()).describe('For "cursor"; null at the end'),
    }),
    examples: {
      input: { scope: 'long-term', prefix: 'projects/house' },
      output: { items: [listedExample], next: null },
    },
  },
  memoryHistory: {
    ...throughTool,
    path: '/api/v1/memory/history',
    summary: 'Every version that a memory has had, the newest first',
    input: z.strictObject({
      ...place,
      before: z.optional(z.int().min(1).describe('Only versions before this one')),
      limit: z.optional(z.int().min(1).max(100).describe('20 where nothing is said')),
    }),
    output: z.object({
      items: z.array(listed),
      next: z.nullable(count).describe('For "before"; null at the end'),
    }),
    examples: {
      input: placeExample,
      output: {
        items: [
          listedExample,
          { ...listedExample, version: 1, value: 'The door is blue.', valid_to: at('12:00:00') },
        ],
        next: null,
      },
    },
  },
  pinMemory: {
    ...throughTool,
    path: '/api/v1/memory/pin',
    summary: 'Have a memory told to a model before all others, or no longer',
    input: z.strictObject({ ...place, pinned: z.optional(z.boolean()) }),
    output: z.object({ ...oneKey, version: count, pinned: z.boolean() }),
    examples: {
      input: { ...placeExample, pinned: true },
      output: { ...placeExample, version: 2, pinned: true },
    },
  },
  forgetMemory: {
    ...throughTool,
    path: '/api/v1/memory/forget',
    summary: 'Have nobody told of a memory any more; its versions stay until they are purged',
    input: z.strictObject(place),
    output: z.object({ ...oneKey, forgotten: z.literal(true) }),
    examples: { input: placeExample, output: { ...placeExample, forgotten: true } },
  },
  shareMemory: {
    ...throughTool,
    path: '/api/v1/memory/share',
    summary: 'Let another agent read and search what lies under a key of yours',
    input: z.strictObject({
      key,
      scope: place.scope,
      with: name,
      expires: z.optional(moment),
    }),
    output: z.object({ ...oneKey, with: z.string(), grant: z.string() }),
    examples: {
      input: { ...placeExample, with: 'samantha', expires: '2030-02-28T12:00:00Z' },
      output: { ...placeExample, with: 'samantha', grant: ids.grant },
    },
  },
  unshareMemory: {
    ...throughTool,
    path: '/api/v1/memory/unshare',
    summary: 'Take back what you have shared; it counts from the next read on',
    input: z.strictObject({ ...place, with: name }),
    output: z.object({ ...oneKey, with: z.string(), revoked: z.array(z.string()) }),
    examples: {
      input: { ...placeExample, with: 'samantha' },
      output: { ...placeExample, with: 'samantha', revoked: [ids.grant] },
    },
  },
  memoryShares: {
    ...throughTool,
    path: '/api/v1/memory/shares',
    summary: 'What you have shared, and with whom; the owner sees all',
    output: z.object({ items: z.array(share) }),
    examples: {
      output: {
        items: [
          {
            grant: ids.grant,
            with: 'samantha',
            capability: 'memory:of/jean/long-term/projects/house/colour/**:read,search',
            by: 'agent:jean',
          },
        ],
      },
    },
  },
  purgeMemory: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/memory/purge',
    summary:
      'Erase every version for good, with the journals of what has seen them; or say what that would be',
    who: 'owner',
    input: z.strictObject({
      of: whose.of,
      scope,
      key: z.optional(key.describe('Everything in the scope where nothing is said; with "below"')),
      below: z.boolean().describe('Also what lies below the key'),
      dry_run: z.optional(z.boolean()),
    }),
    output: z.object({
      versions: count,
      operations: z.optional(count.describe('Of a dry run: whose journals would go')),
      calls: z.optional(count.describe('Of a dry run: the same of tool calls')),
      later: z
        .array(z.string())
        .describe('Operations that have seen it and still run: theirs go when they are over'),
      note: z.string(),
    }),
    examples: {
      input: { of: 'jean', scope: 'long-term', key: 'projects/house', below: true },
      output: {
        versions: 2,
        later: [],
        note: 'Backups that were made before still hold it, and so do mail and files that it was written into, and copies that were stored under another key',
      },
    },
  },
  exportMemory: {
    ...get,
    path: '/api/v1/memory/export',
    summary: 'All versions that were not forgotten, a line of JSON each',
    who: 'owner',
    query: z.strictObject(whose),
    output: z.string(),
    contentType: 'application/x-ndjson',
  },
  importMemory: {
    ...post,
    path: '/api/v1/memory/import',
    summary: 'Lines as export writes them; all or none are taken, and what is there already stays',
    who: 'owner',
    query: z.strictObject({ of: whose.of }),
    streams: true,
    streamType: 'application/x-ndjson',
    bodyBytes: 64 * 1024 * 1024,
    output: z.object({
      imported: count.describe('New versions'),
      known: count.describe('Those that were there already'),
    }),
    examples: { output: { imported: 2, known: 0 } },
  },
  memoryState: {
    ...get,
    path: '/api/v1/memory/state',
    summary: 'What the search index knows, and how much of it by meaning',
    who: 'owner',
    output: z.object({
      memories: count,
      vectors: count.describe('How many of them have one'),
      bytes: count.describe('Of the index'),
      embedder: z.string().describe('"none" also while the one that is set does not answer'),
      embedding: z.optional(z.object({ done: count, total: count })).describe('How far it has got'),
    }),
    examples: { output: { memories: 120, vectors: 0, bytes: 262_144, embedder: 'none' } },
  },
} as const satisfies Record<string, Verb>;
