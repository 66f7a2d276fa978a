/** Starts the daemon as a process of its own, and waits until it is ready or has failed. */
import type { ChildProcess } from 'node:child_process';
import type { DaemonAddress, HomeFacts } from '../../app/daemon.ts';
import { AosError, type ErrorWords } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';

// A ledger that must be recovered or migrated takes its time.
const patienceMs = 120_000;

type StartedDaemon = DaemonAddress & Pick<HomeFacts, 'mended'>;

export async function startDetached(
  context: Context,
  { takeover }: { readonly takeover: boolean },
): Promise<StartedDaemon> {
  const { engines, settings } = await reach(context);
  const [program = ''] = process.argv.slice(1);
  const child = process.getBuiltinModule('node:child_process').spawn(
    process.execPath,
    [
      ...[program, '--json', '--home', settings.home, ...settingFlags(context)],
      ...['up', ...(takeover ? ['--takeover'] : [])],
    ],
    // Its first line says how it went. After that nobody reads, and it writes nothing more.
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
