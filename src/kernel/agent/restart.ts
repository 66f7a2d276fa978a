/** Whether an agent whose program or loop has ended is started anew. */

import type { Instant } from '../ports.ts';
import type { RestartPolicy } from './agent-spec.ts';

export interface Intensity {
  /** So many restarts within that time are tried, and no more. */
  readonly most: number;
  readonly withinMs: number;
}

export const defaultIntensity: Intensity = { most: 3, withinMs: 60_000 };

export interface EndedLife {
  readonly policy: RestartPolicy;
  readonly end: 'ok' | 'failed';
  /** The moments of earlier restarts, by the wall clock. */
  readonly restarts: readonly Instant[];
  readonly now: Instant;
  readonly intensity?: Intensity;
}

export type RestartDecision =
  | { readonly kind: 'restart'; readonly afterMs: number }
  | { readonly kind: 'stop' }
  /** It would be started again, and has been too often. */
  | { readonly kind: 'give-up' };

const firstDelayMs = 500;
const longestDelayMs = 30_000;

export function decideRestart(life: EndedLife): RestartDecision {
  const { policy, end, intensity = defaultIntensity } = life;
  if (policy === 'never' || (policy === 'on-failure' && end === 'ok')) return { kind: 'stop' };
  const recent = recentRestarts(life).length;
  if (recent >= intensity.most) return { kind: 'give-up' };
  return { kind: 'restart', afterMs: Math.min(firstDelayMs * 2 ** recent, longestDelayMs) };
}

/**
 * Those that still count. The clock may have jumped: back, and a restart seems to lie in the
 * future, which says nothing and must not forbid restarts until then; forward, and all seem
 * long ago. Each jump allows a few restarts more, never endlessly many.
 */
export function recentRestarts({
  restarts,
  now,
  intensity = defaultIntensity,
}: Pick<EndedLife, 'restarts' | 'now' | 'intensity'>): readonly Instant[] {
  return restarts.filter((at) => at <= now && now - at < intensity.withinMs);
}
