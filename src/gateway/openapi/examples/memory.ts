import { at, type Examples, ids } from './example.ts';

const place = { key: 'projects/house/colour', scope: 'long-term' } as const;

const memory = {
  ...place,
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

const listed = { ...memory, cut: false };

export const memoryExamples = {
  storeMemory: {
    body: { ...place, value: memory.value, tags: ['house'], ttl_seconds: 2_592_000 },
    answer: { ...place, version: 2, stored: true },
  },
  getMemory: { body: place, answer: { found: true, ...memory } },
  searchMemory: {
    body: { query: 'what colour was the door last week', scope: 'long-term' },
    answer: {
      hits: [
        {
          ...listed,
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
  listMemories: {
    body: { scope: 'long-term', prefix: 'projects/house' },
    answer: { items: [listed], next: null },
  },
  memoryHistory: {
    body: place,
    answer: {
      items: [
        listed,
        { ...listed, version: 1, value: 'The door is blue.', valid_to: at('12:00:00') },
      ],
      next: null,
    },
  },
  pinMemory: { body: { ...place, pinned: true }, answer: { ...place, version: 2, pinned: true } },
  forgetMemory: { body: place, answer: { ...place, forgotten: true } },
  shareMemory: {
    body: { ...place, with: 'samantha', expires: '2030-02-28T12:00:00Z' },
    answer: { ...place, with: 'samantha', grant: ids.grant },
  },
  unshareMemory: {
    body: { ...place, with: 'samantha' },
    answer: { ...place, with: 'samantha', revoked: [ids.grant] },
  },
  memoryShares: {
    answer: {
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
  purgeMemory: {
    body: { of: 'jean', scope: 'long-term', key: 'projects/house', below: true },
    answer: {
      versions: 2,
      later: [],
      note: 'Backups that were made before still hold it, and so do mail and files that it was written into, and copies that were stored under another key',
    },
  },
  importMemory: { answer: { imported: 2, known: 0 } },
  memoryState: { answer: { memories: 120, vectors: 0, bytes: 262_144, embedder: 'none' } },
} satisfies Examples;
