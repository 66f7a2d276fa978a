/** Tries again what may go better the next time: three times, later each time. */

import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { retryDelayMs } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import { transferRetries } from '../../kernel/transfer/transfer.ts';

export interface TransferRetryDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export interface RetryOptions {
  /** Besides what always may. */
  readonly also?: readonly ErrorCode[];
  readonly signal?: AbortSignal | undefined;
}

/** A daemon that stops, starts or is busy, and a disk that failed once. */
const passing: readonly ErrorCode[] = [
  ...(['daemon.down', 'daemon.silent', 'gateway.not-ready', 'gateway.too-many'] as const),
  ...(['ledger.closed', 'home.busy', 'disk.failed'] as const),
];

/** The last failure is thrown as it is; `isPassing` tells whether it was tried again. */
export async function withRetries<T>(
  { clock, random }: TransferRetryDeps,
  { also = [], signal }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (failure) {
      signal?.throwIfAborted();
      if (tries > transferRetries || !isPassing(failure, also)) throw failure;
    }
    const jitter = must(random.bytes(1)[0], 'a random byte') / 256;
    await clock.sleep(retryDelayMs(tries, jitter), signal);
  }
}

export function isPassing(failure: unknown, also: readonly ErrorCode[] = []): failure is AosError {
  if (!(failure instanceof AosError)) return false;
  return passing.includes(failure.code) || also.includes(failure.code);
}

/** What is said when all tries have failed. */
export function gaveUp(what: string, failure: AosError): AosError {
  return new AosError('transfer.gave-up', {
    message: `${what} failed ${transferRetries + 1} times. The last time: ${failure.message}`,
    fix: 'Mend that, then run the same command again: it goes on where it was',
    cause: failure,
  });
}

// No more bytes a second than the caller wants.

export interface Pace {
  /** Resolves when so many further bytes may go. */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
}

export function paceOf(clock: Clock, bytesPerSecond: number | undefined): Pace {
  if (bytesPerSecond === undefined) return { take: async () => {} };
  let freeAt = clock.monotonicMs();
  return {
    take: async (bytes, signal) => {
      const now = clock.monotonicMs();
      freeAt = Math.max(freeAt, now) + (bytes / bytesPerSecond) * 1000;
      if (freeAt > now) await clock.sleep(freeAt - now, signal);
    },
  };
}
