/** Joins the process (its streams, its signals, its environment) to the program. */
import { colorAllowed, processEnvironment } from '../app/config.ts';
import { AosError, exitCodeOf } from '../kernel/errors.ts';
import { runProgram, styleOf } from './program.ts';
import type { Terminal } from './terminal.ts';

export async function start(argv: readonly string[]): Promise<number> {
  const environment = processEnvironment();
  const color = styleOf(argv).color && colorAllowed(environment);
  leaveQuietlyWhenNobodyReads();
  return runProgram({
    argv,
    environment,
    terminal: processTerminal(color),
    signal: interruptSignal(),
  });
}

function processTerminal(color: boolean): Terminal {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    colorOut: color && process.stdout.isTTY,
    colorErr: color && process.stderr.isTTY,
    columns: process.stdout.columns ?? 80,
  };
}

/** The first Ctrl-C asks the command to stop, the second does not ask. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    process.once('SIGINT', () => process.exit(exitCodeOf('interrupted.signal')));
    controller.abort(
      new AosError('interrupted.signal', { message: 'Stopped by Ctrl-C; press it again to force' }),
    );
  });
  return controller.signal;
}

// `aos … | head` closes the pipe when it has seen enough. That is no failure.
function leaveQuietlyWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
