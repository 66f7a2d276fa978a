/** The part of the contract that is about memories. */
import * as z from 'zod';
import { memoryLimits, memoryScopes } from '../../kernel/memory/memory.ts';
import { count, get, post, type Route, time } from './route.ts';

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

export const memoryRoutes = {
  storeMemory: {
    ...throughTool,
    path: '/api/v1/memory/store',
    summary: 'Remember something under a key; what was there before is kept as a version',
    body: z.strictObject({
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
    answer: z.object({
      ...oneKey,
      version: count,
      stored: z.boolean().describe('false where the same stood there already'),
    }),
  },
  getMemory: {
    ...throughTool,
    path: '/api/v1/memory/get',
    summary: 'What was stored under a key, now or at another time',
    body: z.strictObject({ ...place, as_of: z.optional(moment) }),
    answer: z.discriminatedUnion('found', [
      memory.extend({ found: z.literal(true) }).meta({ id: 'FoundMemory' }),
      z.object({ found: z.literal(false), ...oneKey }),
    ]),
  },
  searchMemory: {
    ...throughTool,
    path: '/api/v1/memory/search',
    summary: 'Memories by what they say, the likeliest first, with what speaks for each',
    body: z.strictObject({
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
    answer: z.object({
      hits: z.array(hit),
      time: z.optional(z.string().describe('What the query says of time: that comes first')),
    }),
  },
  listMemories: {
    ...throughTool,
    path: '/api/v1/memory/list',
    summary: 'What is remembered, by key; long values are cut to their beginnings',
    body: z.strictObject({
      scope: z.optional(scope.describe('working where nothing is said')),
      of,
      prefix: z.optional(key.describe('Only this key and what lies below it')),
      as_of: z.optional(moment),
      cursor: z.optional(key.describe('"next" of the page before')),
      limit: z.optional(z.int().min(1).max(200).describe('50 where nothing is said')),
    }),
    answer: z.object({
      items: z.array(listed),
      next: z.nullable(z.string()).describe('For "cursor"; null at the end'),
    }),
  },
  memoryHistory: {
    ...throughTool,
    path: '/api/v1/memory/history',
    summary: 'Every version that a memory has had, the newest first',
    body: z.strictObject({
      ...place,
      before: z.optional(z.int().min(1).describe('Only versions before this one')),
      limit: z.optional(z.int().min(1).max(100).describe('20 where nothing is said')),
    }),
    answer: z.object({
      items: z.array(listed),
      next: z.nullable(count).describe('For "before"; null at the end'),
    }),
  },
  pinMemory: {
    ...throughTool,
    path: '/api/v1/memory/pin',
    summary: 'Have a memory told to a model before all others, or no longer',
    body: z.strictObject({ ...place, pinned: z.optional(z.boolean()) }),
    answer: z.object({ ...oneKey, version: count, pinned: z.boolean() }),
  },
  forgetMemory: {
    ...throughTool,
    path: '/api/v1/memory/forget',
    summary: 'Have nobody told of a memory any more; its versions stay until they are purged',
    body: z.strictObject(place),
    answer: z.object({ ...oneKey, forgotten: z.literal(true) }),
  },
  shareMemory: {
    ...throughTool,
    path: '/api/v1/memory/share',
    summary: 'Let another agent read and search what lies under a key of yours',
    body: z.strictObject({
      key,
      scope: place.scope,
      with: name,
      expires: z.optional(moment),
    }),
    answer: z.object({ ...oneKey, with: z.string(), grant: z.string() }),
  },
  unshareMemory: {
    ...throughTool,
    path: '/api/v1/memory/unshare',
    summary: 'Take back what you have shared; it counts from the next read on',
    body: z.strictObject({ ...place, with: name }),
    answer: z.object({ ...oneKey, with: z.string(), revoked: z.array(z.string()) }),
  },
  memoryShares: {
    ...throughTool,
    path: '/api/v1/memory/shares',
    summary: 'What you have shared, and with whom; the owner sees all',
    answer: z.object({ items: z.array(share) }),
  },
  purgeMemory: {
    ...post,
    path: '/api/v1/memory/purge',
    summary:
      'Erase every version for good, with the journals of what has seen them; or say what that would be',
    who: 'owner',
    body: z.strictObject({
      of: whose.of,
      scope,
      key: z.optional(key.describe('Everything in the scope where nothing is said; with "below"')),
      below: z.boolean().describe('Also what lies below the key'),
      dry_run: z.optional(z.boolean()),
    }),
    answer: z.object({
      versions: count,
      operations: z.optional(count.describe('Of a dry run: whose journals would go')),
      calls: z.optional(count.describe('Of a dry run: the same of tool calls')),
      later: z
        .array(z.string())
        .describe('Operations that have seen it and still run: theirs go when they are over'),
      note: z.string(),
    }),
  },
  exportMemory: {
    ...get,
    path: '/api/v1/memory/export',
    summary: 'All versions that were not forgotten, a line of JSON each',
    who: 'owner',
    query: z.strictObject(whose),
    answer: z.string(),
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
    answer: z.object({
      imported: count.describe('New versions'),
      known: count.describe('Those that were there already'),
    }),
  },
  memoryState: {
    ...get,
    path: '/api/v1/memory/state',
    summary: 'What the search index knows, and how much of it by meaning',
    who: 'owner',
    answer: z.object({
      memories: count,
      vectors: count.describe('How many of them have one'),
      bytes: count.describe('Of the index'),
      embedder: z.string().describe('"none" also while the one that is set does not answer'),
      embedding: z.optional(z.object({ done: count, total: count })).describe('How far it has got'),
    }),
  },
} as const satisfies Record<string, Route>;
