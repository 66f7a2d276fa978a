/** What the proxy of a sandbox needs from outside, and where it stops. */
import type { Clock, Resolver } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Grants } from '../../security/grants/grants.ts';

export interface ProxyDeps {
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly ledger: Pick<Ledger, 'transact' | 'committed'>;
  readonly grants: Grants;
  readonly log: { error(facts: object, words: string): void };
}

/** Of one sandbox. */
export const proxyLimits = {
  /** At once; the next is closed unread. */
  connections: 64,
  /** Until the whole head of a request is there; also between one answer and the next request. */
  headMs: 10_000,
  headBytes: 16 * 1024,
  /** For the name and the connection, over all addresses. */
  reachMs: 30_000,
  /** From the last byte of the request on. */
  answerHeadMs: 60_000,
  answerHeadBytes: 32 * 1024,
  /** Without a byte either way. */
  idleMs: 5 * 60_000,
  requests: { perSecond: 100, burst: 400 },
  /** Those that are on record. */
  refusals: { perSecond: 20, burst: 20 },
} as const;
