/**
 * Calls `stop` at the first signal of that name. From then on nobody in here listens, so that the
 * system itself ends the process at the second: no thread needs time for it, and none that is busy
 * is waited for.
 */
export function atFirst(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP', stop: () => void): Disposable {
  process.once(name, stop);
  return { [Symbol.dispose]: () => void process.off(name, stop) };
}
