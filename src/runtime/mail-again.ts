/** Whether a standing agent is asked once more, after it failed on its mail. */

import { decideRestart } from '../kernel/agent/agent.ts';
import type { Instant } from '../kernel/ports.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';

export type Again =
  | { readonly kind: 'submit'; readonly delayMs: number }
  /** It answers somebody who answers it, perhaps: it is slowed down. */
  | { readonly kind: 'too-many'; readonly delayMs: number }
  | { readonly kind: 'give-up'; readonly why: string };

/** Within a minute. */
export const mostMailGoals = 30;
const minuteMs = 60_000;

/** The latest operations of the agent, the newest first, at most `mostMailGoals`. */
export function decideAgain(
  latest: readonly Pick<OperationRow, 'state' | 'created_at' | 'ended_at' | 'result'>[],
  now: Instant,
): Again {
  const oldest = latest[mostMailGoals - 1];
  // A clock that was put back must not slow it down for long.
  const age = oldest === undefined ? minuteMs : Math.abs(now - oldest.created_at);
  if (age < minuteMs) return { kind: 'too-many', delayMs: minuteMs };
  const good = latest.findIndex(({ state }) => state !== 'failed');
  const failed = good === -1 ? latest : latest.slice(0, good);
  if (failed.length === 0) return { kind: 'submit', delayMs: 0 };
  // The first failure is no restart yet.
  const restarts = failed
    .slice(0, -1)
    .flatMap(({ ended_at }) => ended_at ?? [])
    .reverse();
  const decision = decideRestart({ policy: 'on-failure', end: 'failed', restarts, now });
  if (decision.kind === 'restart') return { kind: 'submit', delayMs: decision.afterMs };
  return { kind: 'give-up', why: messageIn(failed[0]?.result ?? null) };
}

function messageIn(result: string | null): string {
  // Written by conclude.ts alone.
  const stored = JSON.parse(result ?? '{}') as { readonly error?: { readonly message: string } };
  return stored.error?.message ?? 'it failed';
}
