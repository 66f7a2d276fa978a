import { AosError } from '../kernel/errors.ts';
import type { Context } from './context.ts';

const exitCodes = { SIGTERM: 143, SIGHUP: 129 } as const;
const names = ['SIGTERM', 'SIGHUP'] as const;

export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** Ctrl-C, SIGTERM, or the end of the terminal; the second one of a kind does not wait. */
export function stopSignal(interrupted: AbortSignal): StopSignal {
  const controller = new AbortController();
  const stops = names.map((name) => {
    const stop = () => {
      if (controller.signal.aborted) process.exit(exitCodes[name]);
      controller.abort(new AosError('interrupted.signal', { message: `Stopped by ${name}` }));
    };
    process.on(name, stop);
    return [name, stop] as const;
  });
  return {
    signal: AbortSignal.any([interrupted, controller.signal]),
    [Symbol.dispose]() {
      for (const [name, stop] of stops) process.off(name, stop);
    },
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
