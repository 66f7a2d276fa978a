/**
 * shell.execute: one program, in a sandbox of its own, in the workspace of the caller.
 *
 * X1. It is a program with its arguments; a line for the shell is the program `sh`, and needs
 *     a grant for that.
 * X2. What is granted is a name, and what runs is the absolute path that the name stands for
 *     inside. A list of names is no wall: many programs start others. The sandbox is the wall.
 * X3. A program that fails, or is stopped by a limit, is an answer. Only what could not be run
 *     is a failure of the call.
 */
import { join, posix } from 'node:path';
import { decodeUtf8, wholeCharacters } from '../../files/text-bytes.ts';
import { programFolders } from '../../kernel/capability/target-text.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, DiskView } from '../../kernel/ports.ts';
import type {
  OutputStream,
  SandboxCommand,
  Sandboxes,
  SandboxLimits,
  SandboxNetwork,
  SandboxResult,
  SandboxView,
} from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import {
  badOrder,
  type ExecuteArgs,
  executeVerb,
  programOf,
  workspace,
} from '../../verbs/shell.ts';

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

// From the name of a program to its path inside the sandbox.

/** Throws `shell.unknown-program`. Whether it can be run is seen when it is. */
async function findProgram(disk: DiskView, program: string): Promise<string> {
  if (!program.includes('/')) return findByName(disk, program);
  // Not what lies in the workspace: a program that makes a symlink there would learn by it what
  // lies elsewhere. The program's own end tells.
  if (!ofMachine.test(program) || (await exists(disk, program))) return program;
  throw unknown(program, 'Give the name of a program that is installed');
}

const ofMachine = /^\/(?:usr|bin|sbin|lib)\//;

async function findByName(disk: DiskView, name: string): Promise<string> {
  for (const folder of programFolders) {
    const path = join(folder, name);
    if (await exists(disk, path)) return path;
  }
  throw unknown(name, 'Install it on the machine, or give the path of one in the workspace');
}

async function exists(disk: DiskView, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path)) !== undefined;
  } catch {
    // Something on the way is no folder, or closed: there is no such program.
    return false;
  }
}

function unknown(program: string, fix: string): AosError {
  return new AosError('shell.unknown-program', {
    message: `There is no program ${quote(program.slice(0, 200))} in the sandbox`,
    fix,
  });
}

// What the caller gets to see of a program that ran.

interface Ran {
  readonly program: string;
  readonly result: SandboxResult;
  readonly ms: number;
}

/** At most so many bytes of JSON. */
export function resultOf({ program, result, ms }: Ran, mostBytes: number): unknown {
  const { end, met } = result;
  const facts = {
    program,
    exit_code: end.kind === 'exited' ? end.code : null,
    signal: end.kind === 'killed' ? end.signal : null,
    stopped_by: end.kind === 'stopped' ? end.by : null,
    limits_met: met,
    ms,
  };
  // Text grows when it becomes JSON: by a quarter less each time, until it has room.
  for (let share = 1; ; share *= 3 / 4) {
    const cut = (bytes: Uint8Array) => bytes.subarray(0, Math.floor(bytes.length * share));
    const streams = { stdout: cut(result.stdout), stderr: cut(result.stderr) };
    const truncated = result.truncated || share < 1;
    const answer = {
      ...facts,
      ...streamOf('stdout', streams.stdout, truncated),
      ...streamOf('stderr', streams.stderr, truncated),
      truncated,
    };
    if (Buffer.byteLength(JSON.stringify(answer)) <= mostBytes) return answer;
  }
}

/** As text where it is UTF-8. */
function streamOf(
  name: OutputStream,
  bytes: Uint8Array,
  isCut: boolean,
): Readonly<Record<string, string>> {
  const text = decodeUtf8(wholeCharacters(bytes, { start: false, end: isCut }));
  if (text !== undefined) return { [name]: text };
  return { [`${name}_base64`]: Buffer.from(bytes).toString('base64') };
}
