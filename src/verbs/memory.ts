/** What agents remember. */
import * as z from 'zod';
import type { Action, ActionName } from '../kernel/capability/capability.ts';
import {
  isMemoryKey,
  keyRule,
  memoriesAction,
  memoryAction,
  memoryLimits,
} from '../kernel/memory/memory.ts';
import { type PlaceSaid, placeOf } from '../kernel/memory/place.ts';
import { isStorable } from '../kernel/memory/value.ts';
import {
  hit,
  hitExample,
  listed,
  listedExample,
  memory,
  memoryExample,
  oneKey,
  placeExample,
  scope,
  share,
  shareExample,
} from './memory-shapes.ts';
import { at, ids } from './sample.ts';
import { count, toolWithRoute, type Verb } from './verb.ts';

const visible = (longest: number) =>
  z
    .string()
    .min(1, 'It is empty')
    .max(longest)
    .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text), 'It has something unseen in it');

const usualScope = scope.default('working').describe('working where nothing is said');
export const name = visible(128);
export const key = z
  .string()
  .min(1)
  .refine(isMemoryKey, keyRule)
  .describe('Such as projects/house/plan; of what is shared the first part is its space');
const tags = z.array(visible(memoryLimits.tagCharacters)).max(memoryLimits.tags);
const moment = z.iso
  .datetime({ offset: true, error: 'That is no time such as 2026-11-16T12:00:00Z' })
  .transform((text) => Date.parse(text))
  .refine(
    (when) => when >= Date.UTC(0) && when < Date.UTC(10_000, 0),
    'A time has a year of four digits',
  )
  .describe('Such as 2026-11-16T12:00:00Z');
const of = name.optional().describe('Whose: an agent, or "owner"; one’s own where nothing is said');
const prefix = key.optional().describe('Only this key and what lies below it');
const place = { key, scope: usualScope, of };
const shared = { key, scope: usualScope, with: name.describe('The agent that may read it') };

/** On one's own memory where the caller does not say whose. */
function onKey(said: PlaceSaid, action: ActionName): readonly Action[] {
  return [memoryAction(self, placeOf(self, said), action)];
}

/** On the key, and all that lies below it. */
function belowKey(said: PlaceSaid, action: ActionName): readonly Action[] {
  return [memoriesAction(self, placeOf(self, said), action)];
}

const self = 'agent:';

/** What a search has to be allowed somewhere; what it finds is asked for each memory. */
export function searchPermission({
  scope: where = 'long-term',
  prefix: below = '',
  of: whom,
}: z.output<typeof memoryVerbs.searchMemory.input>): readonly Action[] {
  return belowKey({ scope: where, of: whom, key: below }, 'search');
}

export const memoryVerbs = {
  storeMemory: toolWithRoute({
    name: 'memory.store',
    summary: 'Remember something under a key; what was there before is kept as a version',
    effect: 'changes',
    input: z.strictObject({
      ...place,
      value: z
        .unknown()
        .refine(isStorable, 'It is no text or value of JSON, or has over 1 MiB: store it as a file')
        .describe('A text, or any other value of JSON; at most 1 MiB'),
      tags: tags.optional(),
      thread: visible(memoryLimits.threadCharacters)
        .optional()
        .describe('The conversation that it is a part of'),
      valid_from: moment.optional().describe('Since when it is so, where that is not now'),
      valid_to: moment.optional().describe('Until when it was so'),
      ttl_seconds: z
        .int()
        .min(1)
        .refine((seconds) => seconds <= 100 * 366 * 86_400, 'Too long: at most a hundred years')
        .optional()
        .describe('How long it is kept, at most a hundred years; for good where nothing is said'),
      pin: z.boolean().optional().describe('Told to a model before everything else'),
    }),
    // Room for a value of a MiB of which every character is spelt out.
    bodyBytes: 8 * 1024 * 1024,
    output: z.object({
      ...oneKey,
      version: count,
      stored: z.boolean().describe('false where the same stood there already'),
    }),
    permission: (args) => onKey(args, 'write'),
    examples: {
      input: {
        ...placeExample,
        ...{ value: memoryExample.value, tags: ['house'], ttl_seconds: 2_592_000 },
      },
      output: { ...placeExample, version: 2, stored: true },
    },
  }),
  getMemory: toolWithRoute({
    name: 'memory.get',
    summary: 'Recall what was stored under a key, now or at another time',
    effect: 'looks',
    input: z.strictObject({
      ...place,
      as_of: moment.optional().describe('What was so then, as far as is known now'),
    }),
    output: z.discriminatedUnion('found', [
      memory.extend({ found: z.literal(true) }).meta({ id: 'FoundMemory' }),
      z.object({ found: z.literal(false), ...oneKey }),
    ]),
    permission: (args) => onKey(args, 'read'),
    examples: { input: placeExample, output: { found: true, ...memoryExample } },
  }),
  searchMemory: toolWithRoute({
    name: 'memory.search',
    summary: 'Find memories by what they say, the likeliest first, with what speaks for each',
    effect: 'looks',
    input: z.strictObject({
      query: z
        .string()
        .min(1)
        .max(memoryLimits.queryCharacters)
        .describe('Words, "a phrase", the beginning of a word with *, times such as last week'),
      scope: scope.optional().describe('All that may be searched where nothing is said'),
      of: name.optional().describe('Whose, where only one’s is meant: an agent, or "owner"'),
      prefix,
      tags: tags.optional().describe('All of these'),
      after: moment.optional(),
      before: moment.optional(),
      limit: z.int().min(1).max(50).default(10).describe('10 where nothing is said'),
      by: z
        .enum(['memory', 'thread'])
        .default('memory')
        .describe('thread: one of each conversation'),
    }),
    output: z.object({
      hits: z.array(hit),
      time: z.optional(z.string().describe('What the query says of time: that comes first')),
    }),
    // Each memory that would be found is asked for by itself.
    permission: () => [],
    examples: {
      input: { query: 'what colour was the door last week', scope: 'long-term' },
      output: { hits: [hitExample], time: 'from 21 to 27 January 2030' },
    },
  }),
  listMemories: toolWithRoute({
    name: 'memory.list',
    summary: 'List what is remembered, by key; long values are cut to their beginnings',
    effect: 'looks',
    input: z.strictObject({
      scope: usualScope,
      of,
      prefix,
      as_of: moment.optional(),
      cursor: key.optional().describe('"next" of the page before'),
      limit: z.int().min(1).max(200).default(50).describe('50 where nothing is said'),
    }),
    listed: 'memories',
    output: z.object({
      items: z.array(listed),
      next: z.nullable(z.string()).describe('For "cursor"; null at the end'),
    }),
    permission: ({ prefix: below = '', ...args }) => belowKey({ ...args, key: below }, 'read'),
    examples: {
      input: { scope: 'long-term', prefix: 'projects/house' },
      output: { items: [listedExample], next: null },
    },
  }),
  memoryHistory: toolWithRoute({
    name: 'memory.history',
    summary: 'Every version that a memory has had, the newest first',
    effect: 'looks',
    input: z.strictObject({
      ...place,
      before: z.int().min(1).optional().describe('Only versions before this one'),
      limit: z.int().min(1).max(100).default(20).describe('20 where nothing is said'),
    }),
    listed: 'versions',
    output: z.object({
      items: z.array(listed),
      next: z.nullable(count).describe('For "before"; null at the end'),
    }),
    permission: (args) => onKey(args, 'read'),
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
  }),
  pinMemory: toolWithRoute({
    name: 'memory.pin',
    summary: 'Have a memory told to a model before all others, or no longer',
    mayBeMissing: true,
    effect: 'changes',
    input: z.strictObject({ ...place, pinned: z.boolean().default(true) }),
    output: z.object({ ...oneKey, version: count, pinned: z.boolean() }),
    permission: (args) => onKey(args, 'write'),
    examples: {
      input: { ...placeExample, pinned: true },
      output: { ...placeExample, version: 2, pinned: true },
    },
  }),
  forgetMemory: toolWithRoute({
    name: 'memory.forget',
    summary: 'Have nobody told of a memory any more; its versions stay until they are purged',
    mayBeMissing: true,
    effect: 'changes',
    input: z.strictObject(place),
    output: z.object({ ...oneKey, forgotten: z.literal(true) }),
    permission: (args) => onKey(args, 'write'),
    examples: { input: placeExample, output: { ...placeExample, forgotten: true } },
  }),
  shareMemory: toolWithRoute({
    name: 'memory.share',
    summary: 'Let another agent read and search what lies under a key of yours',
    mayBeMissing: true,
    effect: 'changes',
    input: z.strictObject({ ...shared, expires: moment.optional() }),
    output: z.object({ ...oneKey, with: z.string(), grant: z.string() }),
    // All that lies below the key is given with it.
    permission: (args) => belowKey(args, 'share'),
    examples: {
      input: { ...placeExample, with: 'samantha', expires: '2030-02-28T12:00:00Z' },
      output: { ...placeExample, with: 'samantha', grant: ids.grant },
    },
  }),
  unshareMemory: toolWithRoute({
    name: 'memory.unshare',
    summary: 'Take back what you have shared with another agent, from the next read on',
    mayBeMissing: true,
    effect: 'changes',
    input: z.strictObject({
      ...shared,
      of: name.optional().describe('Whose memory it is, where the owner takes it back'),
    }),
    output: z.object({ ...oneKey, with: z.string(), revoked: z.array(z.string()) }),
    // The agent that gave it may take it back, whether or not it may still share.
    permission: () => [],
    examples: {
      input: { ...placeExample, with: 'samantha' },
      output: { ...placeExample, with: 'samantha', revoked: [ids.grant] },
    },
  }),
  memoryShares: toolWithRoute({
    name: 'memory.shares',
    summary: 'List what you have shared, and with whom; the owner sees all',
    effect: 'looks',
    input: z.strictObject({}),
    listed: 'shares',
    output: z.object({ items: z.array(share) }),
    permission: () => [],
    examples: { output: { items: [shareExample] } },
  }),
} as const satisfies Record<string, Verb>;
