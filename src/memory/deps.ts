/** What the memories work with, and on whose behalf. */
import type { Embedder, MemoryIndex } from '../kernel/memory/index-port.ts';
import type { Clock, Random, TimeZone } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Grants } from '../security/grants/grants.ts';

export interface MemoryDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly random: Random;
  readonly zone: TimeZone;
  readonly index: MemoryIndex;
  /** Undefined where nothing is embedded, or not yet. */
  embedder(): Embedder | undefined;
  /** The index has heard of something new. */
  onIndexed?(): void;
  /** How far embedding has got. */
  progress?(): { readonly done: number; readonly total: number } | undefined;
  /** Takes away the files in which a message still lies, by its id; false where some may come. */
  eraseFiles?(message: string): Promise<boolean>;
  readonly log: { warn(facts: object, words: string): void };
}

/** On whose behalf, and by which call: what it sees is noted under it. */
export interface MemoryActor {
  /** `owner` or `agent:NAME`. */
  readonly principal: string;
  /** `tool-call:ID`, or `operation:ID`. */
  readonly user: string;
  /** The operation that the call is a part of. */
  readonly operation?: string | undefined;
  readonly signal: AbortSignal;
}
