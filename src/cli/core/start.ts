/** Joins the process (its streams, its signals, its environment) to the program. */
import { colorAllowed, processEnvironment } from '../../app/config/config.ts';
import { osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import { AosError, exitCodeOf } from '../../kernel/errors.ts';
import { type ProgramName, runProgram, styleOf } from './program.ts';
import { reportFailure, type Style, type Terminal } from './report.ts';
import { atFirst } from './signals.ts';

export async function start(name: ProgramName, argv: readonly string[]): Promise<number> {
  const environment = processEnvironment();
  const style = styleOf(argv);
  const color = style.color && colorAllowed(environment);
  const signal = interruptSignal();
  const canRedraw = environment['TERM'] !== 'dumb';
  const terminal = processTerminal({ color, canRedraw, signal });
  endWhenOutputFails(terminal, style);
  return runProgram({ name, argv, environment, terminal, signal });
}

interface TerminalFacts {
  readonly color: boolean;
  readonly canRedraw: boolean;
  readonly signal: AbortSignal;
}

// The streams are made when they are first used, because each takes its time.
function processTerminal({ color, canRedraw, signal }: TerminalFacts): Terminal {
  return {
    out: (text) => void process.stdout.write(text),
    err: writeWords,
    get rawOut() {
      return process.stdout.isTTY ? undefined : writeOut;
    },
    get rawErr() {
      return process.stderr.isTTY ? undefined : writeWords;
    },
    get colorOut() {
      return color && process.stdout.isTTY;
    },
    get colorErr() {
      return color && process.stderr.isTTY;
    },
    get errIsTerminal() {
      return process.stderr.isTTY === true && canRedraw;
    },
    get columns() {
      // A terminal that does not know says 0.
      return process.stdout.columns || 80;
    },
    input: {
      get isTerminal() {
        return process.stdin.isTTY;
      },
      read() {
        // A read that waits for more waits no longer.
        signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
        return process.stdin;
      },
    },
  };
}

/** Rejected where the reader is gone; endWhenOutputFails() says what becomes of the command. */
function writeOut(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (failure) => (failure ? reject(failure) : resolve()));
  });
}

// Words whose reader is gone change nothing about how the command ends.
function writeWords(text: string | Uint8Array): void {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  process.stderr.write(text);
}

/** Aborts at the first Ctrl-C. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  atFirst('SIGINT', () =>
    controller.abort(new AosError('interrupted.signal', { message: 'Stopped by Ctrl-C' })),
  );
  return controller.signal;
}

function endWhenOutputFails(terminal: Terminal, style: Style): void {
  process.stdout.on('error', (error) => {
    // `aos … | head` closes the pipe when it has seen enough. That is no failure.
    if (osCodeOf(error) === 'EPIPE') process.exit(0);
    const failure = toDiskError(error, '/dev/stdout');
    reportFailure(terminal, { ...style, json: false }, failure);
    process.exit(exitCodeOf(failure.code));
  });
}
