import { AosError } from '../../kernel/errors.ts';
import type { Context } from './context.ts';

export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** Ctrl-C, SIGTERM, or the end of the terminal; the second one of a kind does not wait. */
export function stopSignal(interrupted: AbortSignal): StopSignal {
  const controller = new AbortController();
  using listening = new DisposableStack();
  for (const name of ['SIGTERM', 'SIGHUP'] as const) {
    const why = { message: `Stopped by ${name}` };
    listening.use(atFirst(name, () => controller.abort(new AosError('interrupted.signal', why))));
  }
  const kept = listening.move();
  return {
    signal: AbortSignal.any([interrupted, controller.signal]),
    [Symbol.dispose]: () => kept.dispose(),
  };
}

/** What must not be left in the middle, however the command is told to stop. */
export async function whileStoppable<T>(
  context: Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  using stop = stopSignal(context.signal);
  return await work({ ...context, signal: stop.signal });
}

/**
 * Calls `stop` at the first signal of that name. From then on this process does not listen, so that
 * the system itself ends the process at the second: no thread needs time for it, and none that is
 * busy is waited for.
 */
export function atFirst(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP', stop: () => void): Disposable {
  process.once(name, stop);
  return { [Symbol.dispose]: () => void process.off(name, stop) };
}
