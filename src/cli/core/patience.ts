import type { Engines } from '../../app/home/compose.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';

// A daemon that is started again has kept everything, and answers in a moment.
const passing: ReadonlySet<ErrorCode> = new Set([
  'daemon.down',
  'daemon.silent',
  'gateway.not-ready',
]);
const pauseMs = 200;
const restartMs = 30_000;

export interface WaitLimit {
  readonly signal: AbortSignal;
  readonly mostMs?: number | undefined;
}

/** Only for questions: asks again while the daemon is being started anew. */
export async function patiently<T>(
  { clock }: Pick<Engines, 'clock'>,
  { signal, mostMs = restartMs }: WaitLimit,
  ask: () => Promise<T>,
): Promise<T> {
  const deadline = clock.monotonicMs() + mostMs;
  for (;;) {
    try {
      return await ask();
    } catch (failure) {
      signal.throwIfAborted();
      const isPassing = failure instanceof AosError && passing.has(failure.code);
      if (!isPassing || clock.monotonicMs() > deadline) throw failure;
    }
    await clock.sleep(pauseMs, signal);
  }
}
