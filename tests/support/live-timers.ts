/**
 * The timers that keep this process alive, each with the line that set it. Node itself
 * only counts them, and in a count the runner's own short timer, which was there before
 * a test and has ended since, hides an interval that the test left.
 */
import { createHook } from 'node:async_hooks';

interface SetTimer {
  readonly timer: NodeJS.Timeout;
  /** Its stack is put into words only for a timer that is still there at the end. */
  readonly origin: Error;
}

const timers = new Map<number, SetTimer>();

createHook({
  init(id, type, _trigger, resource) {
    // For this type Node documents the resource to be what setTimeout() returned.
    if (type === 'Timeout') timers.set(id, { timer: resource as NodeJS.Timeout, origin: Error() });
  },
  destroy(id) {
    timers.delete(id);
  },
  // Otherwise every await of every test would be three times as slow.
  trackPromises: false,
}).enable();

/** One line for each running timer, but for those of the test runner. */
export function liveTimers(): string[] {
  return [...timers.values()]
    .filter(({ timer }) => timer.hasRef())
    .map(({ origin }) => setter(origin))
    .filter((line) => !/\/node_modules\/@?vitest\//.test(line))
    .map((line) => `timer set ${line}`);
}

/** The first line of the stack that is neither this file nor Node. */
function setter({ stack = '' }: Error): string {
  const lines = stack.split('\n').slice(2);
  return lines.find((line) => !line.includes('node:'))?.trim() ?? 'by Node itself';
}
