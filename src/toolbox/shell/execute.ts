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
import { posix } from 'node:path';
import type { Clock, DiskView } from '../../kernel/ports.ts';
import type {
  SandboxCommand,
  Sandboxes,
  SandboxLimits,
  SandboxNetwork,
  SandboxView,
} from '../../kernel/sandbox.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import {
  badOrder,
  type ExecuteArgs,
  executeVerb,
  programOf,
  workspace,
} from '../../verbs/shell.ts';
import { findProgram } from './program-path.ts';
import { resultOf } from './result.ts';

/** What shell.execute needs from outside. */
export interface ShellDeps {
  readonly disk: DiskView;
  readonly clock: Clock;
  readonly sandboxes: Sandboxes;
  readonly limits: SandboxLimits;
  /** What a principal sees in a sandbox; its workspace is there afterwards. */
  viewFor(principal: string): Promise<SandboxView>;
  /** Undefined for a principal that may ask no host at all. */
  networkFor(principal: string): Promise<SandboxNetwork | undefined>;
}

export function shellExecute(deps: ShellDeps): Tool {
  return toolOf(executeVerb, undefined, {
    cleansUp: true,
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
