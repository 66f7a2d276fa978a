/**
 * Commands of `aos` in this process, with the answer of run-aos.ts: for tests of what a command
 * does and says, where the start of the real program would take most of the time.
 */
import { type ProgramName, runProgram } from '../../src/cli/core/program.ts';
import type { Terminal } from '../../src/cli/core/report.ts';
import type { Run } from './run-aos.ts';

export interface HereOptions {
  readonly name?: ProgramName;
  /** Variables on top of PATH, HOME and TMPDIR. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of this whole process until the command is over: one command at a time. */
  readonly cwd?: string;
  /** What is piped in; else nothing is. */
  readonly piped?: string | Uint8Array;
  /** Lines typed at a terminal, on which both streams come as one, in `stdout`. */
  readonly typed?: readonly string[];
  readonly signal?: AbortSignal;
}

export async function aosHere(argv: readonly string[], options: HereOptions = {}): Promise<Run> {
  const { name = 'aos', cwd, signal = new AbortController().signal } = options;
  const said = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const terminal = terminalOf(options, said);
  const environment = { ...usualEnvironment(), ...options.env };
  const before = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const code = await runProgram({ name, argv, environment, terminal, signal });
    const [stdout, stderr] = [said.stdout, said.stderr].map((parts) =>
      Buffer.concat(parts).toString(),
    );
    return { code, signal: null, stdout: stdout ?? '', stderr: stderr ?? '' };
  } finally {
    if (cwd !== undefined) process.chdir(before);
  }
}

interface Said {
  readonly stdout: Uint8Array[];
  readonly stderr: Uint8Array[];
}

function terminalOf({ typed, piped = '' }: HereOptions, { stdout, stderr }: Said): Terminal {
  const isTerminal = typed !== undefined;
  const input = isTerminal ? typed.map((line) => `${line}\n`).join('') : piped;
  const errors = isTerminal ? stdout : stderr;
  // Copies: the memory of bytes is in use only until this returns.
  const out = (bytes: string | Uint8Array): void => void stdout.push(Buffer.from(bytes));
  const err = (bytes: string | Uint8Array): void => void errors.push(Buffer.from(bytes));
  return {
    ...{ out, err, colorOut: false, colorErr: false, columns: 80 },
    ...(isTerminal ? {} : { rawOut: out, rawErr: err }),
    input: {
      isTerminal,
      read: async function* () {
        if (input.length > 0) yield Buffer.from(input);
      },
    },
  };
}

function usualEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name] ?? '']),
  );
}
