/**
 * What agents remember. A memory is a value under a key, in one of four scopes; each value that
 * it has had is a version, kept word for word with where it came from and when it was true.
 */
import type { Instant } from '../ports.ts';

/** `context` is of one run, `working` of what is being done, `long-term` stays, `shared` is many's. */
export const memoryScopes = ['context', 'working', 'long-term', 'shared'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** Whose the memories of the scope `shared` are: their keys begin with the name of a space. */
export const sharedOwner = 'shared';

export interface MemoryKey {
  /** `owner`, `agent:NAME`, or `shared`. */
  readonly owner: string;
  readonly scope: MemoryScope;
  /** Names with a slash between them. */
  readonly key: string;
}

/** One version. */
export interface Memory extends MemoryKey {
  readonly id: number;
  readonly version: number;
  /** As it was stored: a text, or any other value of JSON. */
  readonly value: unknown;
  readonly tags: readonly string[];
  /** Of a conversation: those of one thread are neighbours, in the order in which they came. */
  readonly thread: string | undefined;
  /** Who stored it. */
  readonly author: string;
  /** `tool-call:ID`, `message:ID`, `operation:ID`, or `import`. */
  readonly source: string;
  readonly createdAt: Instant;
  /** When it was so, as far as anybody knows; the end is not in it. */
  readonly validFrom: Instant;
  readonly validTo: Instant | undefined;
  /** From then on nobody is told. */
  readonly expiresAt: Instant | undefined;
  readonly isPinned: boolean;
  readonly forgottenAt: Instant | undefined;
}

export const memoryLimits = {
  keyCharacters: 200,
  keyPartBytes: 255,
  valueBytes: 1024 * 1024,
  tags: 32,
  tagCharacters: 64,
  threadCharacters: 200,
  queryCharacters: 1000,
} as const;
