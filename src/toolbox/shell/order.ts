/** What is to be run, as it was asked for. */
import { posix } from 'node:path';
import { programFolders } from '../../kernel/capability/target-text.ts';
import { AosError } from '../../kernel/errors.ts';
import type { SandboxCommand } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';

export interface ExecuteArgs {
  readonly program?: string | undefined;
  readonly args: readonly string[];
  readonly command?: string | undefined;
  readonly cwd: string;
  readonly stdin?: string | undefined;
  readonly stdin_base64?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout_ms?: number | undefined;
  readonly max_output_bytes?: number | undefined;
}

const workspace = '/workspace';

/** As capabilities call it: the name of a program of the machine, else its path. */
export function nameOf(args: ExecuteArgs): string {
  const program = programOf(args);
  const name = program.includes('/') ? nameOfPath(posix.resolve(workspace, program)) : program;
  // To capabilities that is every program.
  if (name === '*') throw noProgram(program);
  return name;
}

function nameOfPath(path: string): string {
  const isOfMachine = programFolders.some((folder) => folder === posix.dirname(path));
  return isOfMachine ? posix.basename(path) : path;
}

/** The program first, as a name or an absolute path inside. Throws `shell.bad-order`. */
export function commandOf(args: ExecuteArgs): SandboxCommand {
  const program = programOf(args);
  if (args.stdin !== undefined && args.stdin_base64 !== undefined) {
    throw badOrder('The program has two inputs', 'Give either stdin or stdin_base64');
  }
  const rest = args.command === undefined ? args.args : ['-c', args.command];
  const path = program.includes('/') ? posix.resolve(workspace, program) : program;
  const size = [path, ...rest, ...Object.entries(args.env).flat()].reduce(
    (sum, text) => sum + Buffer.byteLength(text) + 1,
    0,
  );
  if (size > longestOrder) {
    throw badOrder(`The words have more than ${longestOrder} bytes`, 'Give long texts as stdin');
  }
  return { argv: [path, ...rest], cwd: posix.resolve(workspace, args.cwd), env: args.env };
}

const longestOrder = 1024 * 1024;

function programOf({ program, command, args }: ExecuteArgs): string {
  if (command !== undefined) {
    if (program === undefined && args.length === 0) return 'sh';
    throw badOrder('A command comes alone', 'Give either program and args, or command');
  }
  if (program === undefined) throw badOrder('Nothing is to be run', 'Give program, or command');
  // It would be read as a variable, or as nothing.
  if (program === '' || program.includes('=') || program.endsWith('/')) {
    throw noProgram(program);
  }
  return program;
}

function noProgram(program: string): AosError {
  return badOrder(`${quote(program.slice(0, 100))} is no program`, 'Give a name or a path');
}

function badOrder(message: string, fix: string): AosError {
  return new AosError('shell.bad-order', { message, fix });
}
