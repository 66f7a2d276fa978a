/**
 * Of the same content, one sending at a time in a process. The home knows writers by their
 * process: two of one process would be one writer to it, and add to the same file.
 */

const underWay = new Map<string, Promise<void>>();

export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  onWait(): void;
}

export async function oneAtATime<T>(
  key: string,
  { signal, onWait }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  for (let other = underWay.get(key); other !== undefined; other = underWay.get(key)) {
    onWait();
    await endOf(other, signal);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  underWay.set(key, promise);
  try {
    return await work();
  } finally {
    underWay.delete(key);
    resolve();
  }
}

async function endOf(other: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return other;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([other, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
