import { type Run, type RunOptions, runProgram } from './run-aos.ts';

interface Typing extends Pick<RunOptions, 'env' | 'cwd'> {
  readonly lines: readonly string[];
  /** The program and its arguments. */
  readonly command: readonly string[];
}

/** Somebody types these lines at a terminal of its own, by util-linux; both streams come as one. */
export function atTerminal({ lines, command, env = {}, cwd = '/' }: Typing): Promise<Run> {
  const words = command.map(shellQuoted).join(' ');
  return runProgram('sh', ['-c', 'printf "%s" "$TYPED" | script -qec "$COMMAND" /dev/null'], {
    env: {
      ...env,
      ...{ TERM: 'xterm', SHELL: '/bin/sh', COMMAND: `exec ${words}` },
      TYPED: lines.map((line) => `${line}\n`).join(''),
    },
    cwd,
  });
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
