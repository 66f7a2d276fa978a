import type { Clock } from '../../kernel/ports.ts';

export interface FreezingDeps {
  readonly clock: Clock;
  readonly log: { warn(facts: object, words: string): void };
  /** Writes down that the process stood still that long. */
  readonly record: (frozenMs: number) => Promise<void>;
}

const heartbeatMs = 5000;
/** As long as a lease: a process that stood still for longer may have been taken for dead. */
const leaseMs = 15_000;

/**
 * Notices that this process stood still (SIGSTOP, a suspended machine, a starved one), by
 * a heartbeat that came late on the clock that only goes forward.
 */
export async function watchForFreezing(
  { clock, log, record }: FreezingDeps,
  signal: AbortSignal,
): Promise<void> {
  let lastMs = clock.monotonicMs();
  while (!signal.aborted) {
    try {
      await clock.sleep(heartbeatMs, signal);
    } catch {
      // Woken to stop.
      return;
    }
    const nowMs = clock.monotonicMs();
    const frozenMs = Math.round(nowMs - lastMs - heartbeatMs);
    lastMs = nowMs;
    if (frozenMs < leaseMs - heartbeatMs) continue;
    log.warn({ frozen_ms: frozenMs }, 'the daemon stood still for longer than a lease');
    try {
      await record(frozenMs);
    } catch (failure) {
      // A full disk, for one: that it cannot be written down is no reason to end.
      log.warn({ err: failure }, 'that the daemon stood still could not be written down');
    }
  }
}
