/** What of memories is the owner's alone: erasing for good, taking out, bringing in. */
import * as z from 'zod';
import { key, name } from './memory.ts';
import { scope } from './memory-shapes.ts';
import { count, get, longestCallMs, post, type Verb } from './verb.ts';

const whose = {
  of: z.optional(name.describe('An agent; the owner where nothing is said')),
  scope: z.optional(scope),
};

export const memoryKeepingVerbs = {
  purgeMemory: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/memory/purge',
    summary:
      'Erase every version for good, with the journals of what has seen them; or say what that would be',
    mayBeMissing: true,
    who: 'owner',
    timeoutMs: longestCallMs,
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
    mayBeMissing: true,
    who: 'owner',
    timeoutMs: longestCallMs,
    query: z.strictObject(whose),
    output: z.string(),
    contentType: 'application/x-ndjson',
  },
  importMemory: {
    ...post,
    path: '/api/v1/memory/import',
    summary: 'Lines as export writes them; all or none are taken, and what is there already stays',
    mayBeMissing: true,
    who: 'owner',
    timeoutMs: longestCallMs,
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
    timeoutMs: longestCallMs,
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
