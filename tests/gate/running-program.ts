import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { limitMs } from '../support/limits.ts';

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Written to its stdin, which then ends; without it stdin stays open until `endInput()`. */
  readonly input?: string;
  /** When it has not ended by then, it is killed. */
  readonly patienceMs?: number;
}

export interface Outcome {
  /** None for a program that was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real child process; it is killed when the `await using` block ends before it does. */
export interface RunningProgram extends AsyncDisposable {
  /** Waits until that text stands on its stdout or stderr. */
  said(text: string): Promise<void>;
  hasSaid(text: string): boolean;
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
  readonly outcome: Promise<Outcome>;
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<Outcome> {
  await using program = start(command, args, { input: '', ...options });
  return await program.outcome;
}

export function start(
  command: string,
  args: readonly string[],
  { cwd, env, input, patienceMs = limitMs(50_000) }: ProgramOptions,
): RunningProgram {
  const limit = { timeout: patienceMs, killSignal: 'SIGKILL' } as const;
  const child = spawn(command, args, { cwd, env, stdio: 'pipe', ...limit });
  const heard = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      heard[stream] += chunk;
      child.emit('heard');
    });
  }
  // A program may end without having read its input.
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);

  let ended = false;
  const outcome = once(child, 'close').then(([code]): Outcome => {
    ended = true;
    child.emit('heard');
    return { code, ...heard };
  });
  const hasSaid = (text: string) => heard.stdout.includes(text) || heard.stderr.includes(text);
  return {
    outcome,
    hasSaid,
    async said(text) {
      while (!hasSaid(text)) {
        if (ended) throw new Error(`it ended without "${text}":\n${heard.stdout}${heard.stderr}`);
        await once(child, 'heard');
      }
    },
    endInput: () => child.stdin.end(),
    signal: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      // Or a grandchild that has inherited them would keep us waiting.
      child.stdout.destroy();
      child.stderr.destroy();
      await outcome;
    },
  };
}
