/**
 * shell.execute: one program, in a sandbox of its own, in the workspace of whoever calls.
 *
 * X1. It is a program with its arguments; a line for the shell is the program `sh`, and needs
 *     a grant for that.
 * X2. What is granted is a name, and what runs is the absolute path that the name stands for
 *     inside. A list of names is no wall: many programs start others. The sandbox is the wall.
 * X3. A program that fails, or is stopped by a limit, is an answer. Only what could not be run
 *     is a failure of the call.
 */
import * as z from 'zod';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import type { ShellDeps } from './deps.ts';
import { commandOf, type ExecuteArgs, nameOf } from './order.ts';
import { findProgram } from './program-path.ts';
import { resultOf } from './result.ts';

const longestTimeoutMs = 3_600_000;
const longestWord = 128 * 1024;
const word = z
  .string()
  .max(longestWord)
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    'it has a zero byte, or half a character',
  );

const executeArgs = z.strictObject({
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

export function shellExecute(deps: ShellDeps): Tool {
  return defineTool<ExecuteArgs>({
    name: 'shell.execute',
    summary: 'Runs a program in a sandbox, in the workspace of whoever calls',
    schema: executeArgs,
    effect: 'external',
    cleansUp: true,
    deeds: (args) => [{ resource: 'shell', action: 'execute', name: nameOf(args) }],
    run: (args, call) => execute(deps, args, call),
  });
}

// What else the answer has, and what JSON adds to text.
const frameBytes = 4096;

async function execute(deps: ShellDeps, args: ExecuteArgs, call: ToolCall): Promise<unknown> {
  const { sandboxes, clock } = deps;
  const view = await deps.viewFor(call.principal);
  const { argv, ...command } = commandOf(args);
  const program = await findProgram(deps.disk, argv[0]);
  const [permit] = call.permits;
  const outputBytes = Math.min(
    ...[args.max_output_bytes, permit?.sizeBytes].map((bytes) => bytes ?? Number.POSITIVE_INFINITY),
    call.outputBytes - frameBytes,
  );
  const startedMs = clock.monotonicMs();
  const result = await sandboxes.run({
    ...{ view, limits: deps.limits, outputBytes, signal: call.signal },
    command: { ...command, argv: [program, ...argv.slice(1)] },
    stdin: stdinOf(args),
    timeoutMs: args.timeout_ms,
    network: await deps.networkFor(call.principal),
    onOutput: (stream, bytes) => call.show?.({ stream, bytes }),
  });
  const ms = Math.round(clock.monotonicMs() - startedMs);
  return resultOf({ program, result, ms }, call.outputBytes);
}

function stdinOf({ stdin, stdin_base64 }: ExecuteArgs): Uint8Array | undefined {
  if (stdin !== undefined) return Buffer.from(stdin);
  return stdin_base64 === undefined ? undefined : Buffer.from(stdin_base64, 'base64');
}
