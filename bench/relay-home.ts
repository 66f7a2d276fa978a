/** A daemon for the relay's benches, and how to tell when it has nothing left to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningDaemon, startDaemon } from '../tests/support/running-daemon.ts';
import { cpuMs } from './server-cpu.ts';
import { benchFolder } from './workplace.ts';

export interface RelayHome extends AsyncDisposable {
  readonly home: string;
  readonly daemon: RunningDaemon;
}

/** Nothing slows a sender down in here, and mailboxes hold what a bench puts there. */
const unlimited = ['messagesPerSecond=1000000', 'messageBurst=1000000', 'mailboxMessages=1000000'];

/** In a folder with a short path, because that of a socket has little room. */
export async function startRelay(agents: readonly string[]): Promise<RelayHome> {
  const home = await benchFolder();
  const args = unlimited.flatMap((setting) => ['--set', setting]);
  const daemon = await startDaemon(home, { args });
  for (const agent of agents) await daemon.client.register(agent);
  return {
    home,
    daemon,
    [Symbol.asyncDispose]: () => daemon.kill(),
  };
}

const quietMs = 200;
const longestMs = 60_000;

/** Resolves when the process has done nothing for a moment. */
export async function untilQuiet(pid: number): Promise<void> {
  for (const endsAt = performance.now() + longestMs; performance.now() < endsAt; ) {
    const before = cpuMs(pid);
    await sleep(quietMs);
    if (cpuMs(pid) - before <= 10) return;
  }
  throw new Error(`process ${pid} is still busy after ${longestMs / 1000} s`);
}
