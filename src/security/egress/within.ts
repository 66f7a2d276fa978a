/** Waits that end early. */
import type { Clock } from '../../kernel/ports.ts';

export interface TimeLimit {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Undefined: as long as the signal lets it. */
  readonly timeoutMs: number | undefined;
  late(): Error;
}

/** Does work whose signal aborts at the given one, or with `late()` when the time is over. */
export async function within<T>(
  { clock, signal, timeoutMs, late }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return work(signal);
  const done = new AbortController();
  const timer = new AbortController();
  clock.sleep(timeoutMs, done.signal).then(
    () => timer.abort(late()),
    () => {
      // The work was done first.
    },
  );
  try {
    return await work(AbortSignal.any([signal, timer.signal]));
  } finally {
    done.abort();
  }
}

/** For what cannot be stopped: its outcome is no longer waited for. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Whichever of the two lost must not be a rejection that nobody heard.
    work.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}
