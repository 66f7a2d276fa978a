/** Runs the built `aos` as its users do: a process of its own, in a small clean environment. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { programMs } from './limits.ts';

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Variables on top of the clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Where one run does many things; else what one command may take. */
  readonly withinMs?: number;
  /** A program and its arguments that start Node in their turn, e.g. `['bwrap', …]`. */
  readonly through?: readonly string[];
  /** The Node to run on; else the one of the tests. */
  readonly node?: string;
}

const root = join(import.meta.dirname, '..', '..');
export const launcher = join(root, 'bin', 'aos.cjs');

/** A stack line of JavaScript: what nobody may read without `--debug`. */
export const stackLine = /^\s+at \S/m;

// The mark lets the leak check find a process that was left behind.
const keptVariables = ['PATH', 'HOME', 'TMPDIR', 'AOS_TEST_MARK'];

export function runAos(argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { through = [], node = process.execPath } = options;
  const [file = node, ...args] = [...through, node, launcher, ...argv];
  return runProgram(file, args, options);
}

/** A shell script that is one of our programs, wherever the checkout lies and however spelt. */
export function programScript(name: 'aos' | 'agent-transfer' = 'aos'): string {
  const path = join(root, 'bin', `${name}.cjs`);
  const [node, program] = [process.execPath, path].map((part) => part.replaceAll("'", `'\\''`));
  return `#!/bin/sh\nexec '${node}' '${program}' "$@"\n`;
}

/** Any other program, in the same environment and with the same deadline. */
export function runProgram(
  file: string,
  args: readonly string[],
  { env = {}, cwd, withinMs = programMs }: Pick<RunOptions, 'env' | 'cwd' | 'withinMs'> = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...cleanEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: withinMs,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

function cleanEnvironment(): Record<string, string> {
  return Object.fromEntries(
    keptVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * For `through`: a world that holds the system's libraries, Node, Agent OS and `folder`,
 * and no other program. Every user can reach them, wherever they lie on this machine.
 */
export function bareWorld(folder: string, programs: readonly string[] = []): string[] {
  const libraries = ['/usr/lib', '/usr/lib64', '/lib', '/lib64'];
  const readOnly = [process.execPath, root, ...programs];
  return [
    ...['bwrap', '--proc', '/proc', '--dev', '/dev'],
    ...libraries.flatMap((path) => ['--ro-bind-try', path, path]),
    ...readOnly.flatMap((path) => [...wayTo(path), '--ro-bind', path, path]),
    ...[...wayTo(folder), '--bind', folder, folder],
  ];
}

/** For `through`, and only for root: the user "nobody", in a bare world. */
export function asNobody(folder: string): string[] {
  return [
    ...bareWorld(folder, ['/usr/bin/setpriv']),
    ...['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
    ...['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
  ];
}

// bwrap would make the folders on the way for itself alone.
function wayTo(path: string): string[] {
  const above = dirname(path);
  return above === '/' ? [] : [...wayTo(above), '--perms', '0755', '--dir', above];
}
