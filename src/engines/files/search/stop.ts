/** When a search is to end before its end: because nobody waits any more, or because it is late. */
import { early } from '../../../kernel/turns.ts';
import { realClock } from '../../clock.ts';

export interface Stop extends Disposable {
  /** For what waits. */
  readonly signal: AbortSignal;
  /** For what does not wait: asked between two files. */
  isOver(): boolean;
  /** Whether nobody waits any more. */
  isCancelled(): boolean;
}

/** The flag is shared with whoever cancels; it is seen also where no message would arrive. */
export function stopAfter(timeLimitMs: number, flag: Int32Array, cancelled: AbortSignal): Stop {
  const [late, ended] = [new AbortController(), new AbortController()];
  const overAt = realClock.monotonicMs() + timeLimitMs;
  realClock.sleep(timeLimitMs, ended.signal).then(
    () => late.abort(early),
    // It ended in time.
    () => {},
  );
  const isCancelled = () => Atomics.load(flag, 0) !== 0;
  return {
    signal: AbortSignal.any([late.signal, cancelled]),
    isCancelled,
    isOver: () => isCancelled() || realClock.monotonicMs() > overAt,
    [Symbol.dispose]: () => ended.abort(early),
  };
}
