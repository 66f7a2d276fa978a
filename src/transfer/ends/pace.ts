/** No more bytes a second than somebody wants. */
import type { Clock } from '../../kernel/ports.ts';

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
