/** `shell.execute`: what it takes, and what capabilities call the program. */
import { posix } from 'node:path';
import * as z from 'zod';
import { programFolders } from '../kernel/capability/target-text.ts';
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { tool } from './verb.ts';

const longestTimeoutMs = 3_600_000;
const longestWord = 128 * 1024;
const word = z
  .string()
  .max(longestWord)
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    'it has a zero byte, or half a character',
  );

export const executeArgs = z.strictObject({
  program: word
    .optional()
    .describe('A name as git, or a path inside the sandbox as /workspace/build.sh'),
  args: z.array(word).max(4096).default([]),
  command: word
    .optional()
    .describe('Instead of program and args: a line for sh, which a grant has to allow'),
  cwd: word.default('/workspace').describe('Inside the sandbox, where /workspace is yours'),
  stdin: z.string().optional().describe('What the program reads'),
  stdin_base64: z.base64().optional().describe('Instead of stdin, for bytes that are no text'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/), word)
    .default({})
    .describe('Variables besides PATH, HOME, LANG and TMPDIR'),
  timeout_ms: z
    .int()
    .min(1)
    .max(longestTimeoutMs)
    .optional()
    .describe('Stops the program, and gives what it wrote so far'),
  max_output_bytes: z.int().min(1).optional().describe('Stops a program that writes more'),
});

export type ExecuteArgs = z.output<typeof executeArgs>;

export const executeVerb = tool({
  name: 'shell.execute',
  summary: 'Runs a program in a sandbox, in the workspace of the caller',
  effect: 'changes',
  toolEffect: 'external',
  input: executeArgs,
  permission: (args) => [{ resource: 'shell', action: 'execute', name: programName(args) }],
});

export const workspace = '/workspace';

/** As capabilities call it: the name of a program of the machine, else its path. */
export function programName(args: ExecuteArgs): string {
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

/** Throws `shell.bad-order`. */
export function programOf({ program, command, args }: ExecuteArgs): string {
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

export function badOrder(message: string, fix: string): AosError {
  return new AosError('shell.bad-order', { message, fix });
}
