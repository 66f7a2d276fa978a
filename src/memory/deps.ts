import { AosError } from '../kernel/errors.ts';
import type { Embedder, MemoryIndex } from '../kernel/memory/index-port.ts';
import { type MemoryKey, type MemoryScope, sharedOwner } from '../kernel/memory/memory.ts';
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
export interface MemoryCaller {
  /** `owner` or `agent:NAME`. */
  readonly principal: string;
  /** `tool-call:ID`, or `operation:ID`. */
  readonly user: string;
  /** The operation that the call is a part of. */
  readonly operation?: string | undefined;
  readonly signal: AbortSignal;
}

export interface PlaceSaid {
  readonly scope: MemoryScope;
  /** Whose: the name of an agent, or `owner`. One's own where nothing is said. */
  readonly of?: string | undefined;
  readonly key: string;
}

export function placeOf(principal: string, { scope, of, key }: PlaceSaid): MemoryKey {
  if (scope !== 'shared') {
    return { owner: of === undefined ? principal : principalNamed(of), scope, key };
  }
  if (of !== undefined) {
    throw new AosError('memory.bad-value', {
      message: 'What is shared is nobody’s own, so it cannot be of somebody',
      fix: 'Leave out whose it is; the first part of the key names the space',
    });
  }
  return { owner: sharedOwner, scope, key };
}

export function principalNamed(name: string): string {
  return name === 'owner' ? 'owner' : `agent:${name}`;
}
