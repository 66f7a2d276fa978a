/** `aos up`: the daemon, in this process or in one of its own. */
import type { ChildProcess } from 'node:child_process';
import type { Command } from 'commander';
import type { DaemonEndpoint, HomeFacts } from '../../app/daemon.ts';
import { composeEngines } from '../../app/home/compose.ts';
import { version } from '../../app/version.ts';
import type { Client } from '../../gateway/client/client.ts';
import { AosError, type ErrorWords } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { mendedLine, reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import type { CommandOutcome } from '../core/report.ts';
import { stopSignal } from '../core/signals.ts';
import { table } from '../core/words.ts';

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
        const address = await startDetached(withPort, { takeover });
        const { client } = await reach(withPort);
        const isNew = await hasNoAgents(client);
        const { mended } = address;
        context.print(readyOutcome(address, { isNew, mended, howToStop: 'aos down' }));
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
  // What a shell or an editor left open must not reach the programs of agents. Before anything
  // else: later, threads of Node open files of their own.
  composeEngines().closeInherited();
  const { engines, settings } = await reach(context);
  const { inside } = await import('../../app/inside.ts');
  await inside.runDaemon(engines, settings, {
    takeover: takeover === true,
    environment: context.environment,
    signal: stopSignal(context.signal).signal,
    onReady: (where, facts) =>
      context.print(readyOutcome(where, { ...facts, howToStop: 'Ctrl-C' })),
  });
}

/** Whether none was ever made; one that cannot be asked is not called new. */
async function hasNoAgents(client: Client): Promise<boolean> {
  try {
    const status = await client.status();
    return 'agents' in status && status.agents.total === 0;
  } catch (failure) {
    if (failure instanceof AosError) return false;
    throw failure;
  }
}

interface Readiness {
  readonly isNew: boolean;
  readonly mended: readonly string[];
  readonly howToStop: string;
}

const offer = 'Nothing here yet. To see a small team at work without a key: aos demo';

function readyOutcome(
  { home, pid, socket, url }: DaemonEndpoint,
  { isNew, mended, howToStop }: Readiness,
): CommandOutcome {
  const rows = [
    ['  home', home],
    ['  socket', socket],
    ['  http', `${url} (the handle is in keys/owner.handle)`],
    ['  process', String(pid)],
  ];
  const said = [...mended.map(mendedLine), ...(isNew ? [offer] : [])];
  const lines = [`Agent OS ${version} is up.`, table(rows), ...said, `To stop it: ${howToStop}`];
  return { data: { version, home, pid, socket, url, mended }, text: lines.join('\n') };
}

// A ledger that must be recovered or migrated takes its time.
const patienceMs = 120_000;

type StartedDaemon = DaemonEndpoint & Pick<HomeFacts, 'mended'>;

export async function startDetached(
  context: Context,
  { takeover }: { readonly takeover: boolean },
): Promise<StartedDaemon> {
  const { engines, settings } = await reach(context);
  const program = must(process.argv[1], 'the path of this program');
  const child = process.getBuiltinModule('node:child_process').spawn(
    process.execPath,
    [
      ...[program, '--json', '--home', settings.home, ...settingFlags(context)],
      ...['up', ...(takeover ? ['--takeover'] : [])],
    ],
    // Its first line says how it went. After that the pipe is not read, and it writes nothing more.
    { detached: true, stdio: ['ignore', 'pipe', 'ignore'], cwd: '/' },
  );
  const waiting = new AbortController();
  const deadline = engines.clock
    .sleep(patienceMs, AbortSignal.any([context.signal, waiting.signal]))
    .then(() => Promise.reject(tooSlow()));
  try {
    return parse(await Promise.race([firstLine(child), deadline]));
  } catch (failure) {
    child.kill('SIGTERM');
    throw failure;
  } finally {
    waiting.abort();
    deadline.catch(() => {});
    child.stdout?.destroy();
    child.unref();
  }
}

function settingFlags(context: Context): string[] {
  return context
    .flags()
    .filter(({ flag }) => flag !== '--home')
    .flatMap(({ key, text }) => ['--set', `${key}=${text}`]);
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('close', () => resolve(text));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
  });
}

/** What our own program prints with `--json`. */
type Printed =
  | { readonly ok: true; readonly data: StartedDaemon }
  | { readonly ok: false; readonly error: ErrorWords & Pick<AosError, 'code'> };

function parse(line: string): StartedDaemon {
  let printed: Printed;
  try {
    printed = JSON.parse(line);
  } catch (cause) {
    throw new AosError('daemon.failed', {
      message: `The daemon ended before it was ready. ${oneLine(line)}`.trim(),
      fix: 'Run "aos up" without --detach and read what it says',
      cause,
    });
  }
  if (printed.ok) return printed.data;
  throw new AosError(printed.error.code, printed.error);
}

function tooSlow(): AosError {
  return new AosError('daemon.failed', {
    message: `The daemon was not ready after ${patienceMs / 1000} seconds`,
    fix: 'Run "aos up" without --detach and read what it says; the log is logs/daemon.log',
  });
}
