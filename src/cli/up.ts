import type { Command } from 'commander';
import type { DaemonAddress } from '../app/daemon.ts';
import { version } from '../app/version.ts';
import { reach } from './connect.ts';
import type { Context } from './context.ts';
import type { Outcome } from './report.ts';
import { startDetached } from './start-detached.ts';
import { table } from './table.ts';

interface UpOptions {
  readonly detach?: true;
  readonly takeover?: true;
  readonly port?: string;
}

export function defineUp(command: Command, context: Context): void {
  command
    .option('-d, --detach', 'leave it running in the background, and return when it is ready')
    .option('--takeover', 'first kill the daemon that has this home, should it be stuck')
    .option('--port <n>', 'listen on this port of 127.0.0.1 (0: any that is free)')
    .addHelpText(
      'after',
      '\nWithout --detach it runs until Ctrl-C or SIGTERM; the second one does not wait.\nWhat it does is written to logs/daemon.log in the home folder.\n\nExamples:\n  aos up\n  aos up --detach\n  aos up --detach --takeover',
    )
    .action(async (options: UpOptions) => {
      const withPort = portContext(context, options.port);
      if (options.detach === true) {
        const takeover = options.takeover === true;
        context.print(readyOutcome(await startDetached(withPort, { takeover }), 'aos down'));
      } else {
        await runHere(withPort, options);
      }
    });
}

/** `--port N` is `--set port=N`. */
function portContext(context: Context, port: string | undefined): Context {
  if (port === undefined) return context;
  return {
    ...context,
    flags: () => [...context.flags(), { key: 'port', text: port, flag: '--port' }],
  };
}

async function runHere(context: Context, { takeover }: UpOptions): Promise<void> {
  const { engines, settings } = await reach(context);
  const { inside } = await import('../app/inside.ts');
  await inside.runDaemon(engines, settings, {
    takeover: takeover === true,
    environment: context.environment,
    signal: stopSignal(context.signal),
    onReady: (where) => context.print(readyOutcome(where, 'Ctrl-C')),
  });
}

/** Ctrl-C, SIGTERM, or the end of the terminal; the second one of a kind does not wait. */
function stopSignal(interrupted: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const exitCodes = { SIGTERM: 143, SIGHUP: 129 } as const;
  for (const name of ['SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      process.once(name, () => process.exit(exitCodes[name]));
      controller.abort();
    });
  }
  return AbortSignal.any([interrupted, controller.signal]);
}

function readyOutcome({ home, pid, socket, url }: DaemonAddress, howToStop: string): Outcome {
  const rows = [
    ['  home', home],
    ['  socket', socket],
    ['  http', `${url} (the handle is in keys/owner.handle)`],
    ['  process', String(pid)],
  ];
  return {
    data: { version, home, pid, socket, url },
    text: `Agent OS ${version} is up.\n${table(rows)}\nTo stop it: ${howToStop}`,
  };
}
