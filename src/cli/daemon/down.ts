import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';

const patienceMs = 30_000;
const lookAgainMs = 20;

export function defineDown(command: Command, context: Context): void {
  command
    .addHelpText(
      'after',
      '\nWhat is under way may end first. Where no daemon runs there is nothing to do.\n\nExample:\n  aos down && aos up --detach',
    )
    .action(async () => {
      const pid = await stopDaemon(context);
      const text = pid === undefined ? 'No daemon was running.' : 'The daemon has stopped.';
      context.print({ data: { stopped: pid !== undefined, pid: pid ?? null }, text });
    });
}

/** Resolves when the process is gone, so that another may take its home at once. */
async function stopDaemon(context: Context): Promise<number | undefined> {
  const { client, engines } = await reach(context);
  const { signal } = context;
  const pid = await daemonPid(() => client.status({ signal }));
  if (pid === undefined) return undefined;
  const startTime = engines.processes.startTimeOf(pid);
  await askToStop(() => client.shutdown({ signal }));
  const deadline = engines.clock.monotonicMs() + patienceMs;
  while (startTime !== undefined && engines.processes.startTimeOf(pid) === startTime) {
    if (engines.clock.monotonicMs() > deadline) throw tooSlow(pid);
    await engines.clock.sleep(lookAgainMs, signal);
  }
  return pid;
}

async function askToStop(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (failure) {
    // It has answered a moment ago and does no more: another command has just stopped it.
    if (!isDown(failure)) throw failure;
  }
}

async function daemonPid(
  ask: () => Promise<{ readonly role: string; readonly pid?: number }>,
): Promise<number | undefined> {
  try {
    return (await ask()).pid;
  } catch (failure) {
    if (isDown(failure)) return undefined;
    throw failure;
  }
}

function isDown(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'daemon.down';
}

function tooSlow(pid: number): AosError {
  return new AosError('daemon.silent', {
    message: `The daemon (process ${pid}) was asked to stop and is still running`,
    fix: 'aos up --takeover, which kills it first',
  });
}
