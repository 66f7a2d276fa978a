/**
 * Threads of this process, and why programs wait for them.
 *
 * T1. While a thread starts, the engine has files open (the map of this process's memory, and Node
 *     itself) that every program which is started in that moment inherits. A caller that starts a
 *     program that is not ours waits until no thread starts.
 */
import { dirname, extname, join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { realClock } from '../clock.ts';

const starting = new Set<Worker>();

/** Beside the file that asks, as what that file is: a source, or a bundle. */
export function threadBeside(file: string, name: string): string {
  return join(dirname(file), `${name}${extname(file)}`);
}

export function startThread(file: string, options: WorkerOptions = {}): Worker {
  const worker = new Worker(file, options);
  starting.add(worker);
  const started = () => void starting.delete(worker);
  worker.once('online', started);
  worker.once('exit', started);
  return worker;
}

/** T1: what is started right behind it is started in time; behind another wait it is not. */
export async function untilNoThreadStarts(): Promise<void> {
  // Not for the event: it does not keep a process running whose threads are all without work.
  while (starting.size > 0) await realClock.sleep(1);
}
