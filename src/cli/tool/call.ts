/** `aos tool call`: calls a tool, and prints what comes of it. */
import type { Command } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireCall } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import { AosError } from '../../kernel/errors.ts';
import type { SandboxLimit } from '../../kernel/sandbox.ts';
import { oneLine, printable, quote } from '../../kernel/text/quote.ts';
import { errorOfCall, waitForEnd } from '../core/call-end.ts';
import { reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf, fileParts, textOf } from '../core/input.ts';
import { followCall, type SeenCall, streamCall } from './follow-call.ts';

interface CallOptions {
  readonly args?: string;
  readonly argsFile?: string;
  readonly as?: string;
  readonly timeout?: string;
  readonly key?: string;
  readonly wait?: string;
  readonly follow?: true;
}

/** `aos tool call`. */
export function defineCall(command: Command, context: Context): void {
  command
    .description('call a tool and print what it brings')
    .argument('<name>', 'the tool, such as file.read')
    .option('--args <json>', 'its arguments as JSON; "-" reads what is piped in ({})')
    .option('--args-file <file>', 'the same from a file')
    .option('--as <agent>', 'as this agent (AOS_AGENT, else owner)')
    .option('--timeout <time>', 'end it when it takes longer, as 30s or 5m; at most 1h')
    .option('--key <key>', 'a call that was made before under this key is not made again')
    .option('--wait <time>', 'when a human has to approve it, wait for that, as 10m')
    .option('--follow', 'print what it shows while it runs, and at last how it ended')
    .addHelpText(
      'after',
      '\nExit code 3 when the agent may not, and 5 when a human has to approve it first. What a\ntool brings is data, whatever it says. Ctrl-C ends the waiting and not the call, which the\ndaemon goes on with: "aos tool calls" shows what comes of it. With --follow what a program\nwrites goes to stdout and stderr as it comes, and how it ended is the last line on stderr;\nwith --json each part is a line, and the last one is the answer.\n\nExamples:\n  aos tool call file.read --args \'{"path":"/etc/hostname"}\' --as jean\n  echo \'{"to":"jean","body":"hello"}\' | aos tool call message.send --args -\n  aos tool call http.fetch --args \'{"url":"https://example.com/"}\' --as jean --wait 10m\n  aos tool call shell.execute --args \'{"program":"ls"}\' --as jean --follow',
    )
    .action((name: string, options: CallOptions) => {
      const json = command.optsWithGlobals()['json'] === true;
      return callTool(context, { name, json }, options);
    });
}

interface Calling {
  readonly name: string;
  readonly call: Parameters<Client['callTool']>[1];
  readonly key: string | undefined;
  readonly waitMs: number | undefined;
  readonly follows: 'no' | 'as-it-is' | 'as-json';
}

async function callTool(
  context: Context,
  { name, json }: { readonly name: string; readonly json: boolean },
  options: CallOptions,
): Promise<void> {
  const { timeout, wait, key } = options;
  const calling: Calling = {
    name: toolName(name),
    key: key === undefined ? undefined : checkKey(key),
    waitMs: wait === undefined ? undefined : durationOf('--wait', wait),
    follows: options.follow === true ? (json ? 'as-json' : 'as-it-is') : 'no',
    call: {
      timeout_ms: timeout === undefined ? undefined : timeoutOf(timeout),
      as: options.as ?? agentOf(context.environment),
      args: await readArguments(context, name, options),
    },
  };
  const seen = await answerTo(context, calling);
  const { answer } = seen;
  const end = calling.follows === 'as-it-is' ? endOfSeen(seen) : undefined;
  if (end === undefined) context.print({ data: answer, text: outputText(answer.output) });
  else context.terminal.err(`${end}\n`);
}

/** How a program ended of which all was seen; undefined where the result is still to be shown. */
function endOfSeen({ answer, hasShown }: SeenCall): string | undefined {
  const end = programEnd(answer.output);
  return end !== undefined && (hasShown || isSilent(end)) ? endWords(end) : undefined;
}

/** What is no name would be another path at the daemon. */
function toolName(typed: string): string {
  if (/[a-z0-9]/i.test(typed)) return typed;
  throw new AosError('tool.unknown', {
    message: `There is no tool ${quote(typed.slice(0, 100))}`,
    fix: 'aos tool ls',
  });
}

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new AosError('usage.bad-value', {
    message: `--key wants 1 to 200 visible ASCII characters, and got ${quote(key.slice(0, 100))}`,
    fix: '--key report-of-monday',
  });
}

const longestMs = 3_600_000;

function timeoutOf(text: string): number {
  const timeoutMs = durationOf('--timeout', text);
  if (timeoutMs <= longestMs) return timeoutMs;
  throw new AosError('usage.bad-value', {
    message: '--timeout is at most 1h for a call',
    fix: '--timeout 1h',
  });
}

// What the daemon takes at most.
const mostBytes = 4 * 1024 * 1024;

async function readArguments(
  { terminal }: Context,
  name: string,
  { args, argsFile }: CallOptions,
): Promise<unknown> {
  if (args !== undefined && argsFile !== undefined) throw badArguments(name, 'are given twice');
  const what = 'What was given as arguments';
  const limits = { what, mostBytes };
  if (argsFile !== undefined) {
    const text = await textOf(fileParts(composeEngines().disk, argsFile), limits);
    return parsed(name, text);
  }
  return parsed(name, args === '-' ? await textOf(terminal.input.read(), limits) : (args ?? '{}'));
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What the parser says of a place in the text does not help in a message of one line.
    throw badArguments(name, `are no JSON: ${quote(text.slice(0, 100))}`);
  }
}

function badArguments(name: string, what: string): AosError {
  return new AosError('usage.bad-value', {
    message: `The arguments ${what}`,
    fix: `aos tool ls ${quote(name)} shows what it takes; give it as --args '{"…":"…"}'`,
  });
}

async function answerTo(context: Context, calling: Calling): Promise<SeenCall> {
  if (calling.waitMs === undefined) {
    return withHome(context, { holder: 'aos tool call' }, (client) =>
      outcomeOf(client, context, calling),
    );
  }
  // Only with a daemon: without one, the command that waits would keep the home to itself, and no
  // one could approve anything.
  return outcomeOf((await reach(context)).client, context, calling);
}

async function outcomeOf(client: Client, context: Context, calling: Calling): Promise<SeenCall> {
  const { signal } = context;
  const { waitMs } = calling;
  const seen = await tellIfStopped(context, seeCall(client, context, calling), 'aos tool calls');
  const { answer } = seen;
  if (answer.state === 'answered') return seen;
  if (answer.state === 'waiting' && waitMs === undefined) throw approvalNeeded(answer);
  const waiting = waitForEnd(client, answer.call_id, { mostMs: waitMs, signal });
  const ended = await tellIfStopped(context, waiting, `aos tool calls ${answer.call_id}`);
  if (ended.state === 'waiting') throw approvalNeeded(ended);
  if (ended.state === 'started') throw stillRunning(ended);
  if (ended.state !== 'answered') throw errorOfCall(ended);
  const { call_id, tool, trust, output, bytes, approval } = ended;
  const end = { call_id, tool, state: 'answered', trust, output, bytes, approval } as const;
  return { answer: end, hasShown: false };
}

async function seeCall(
  client: Client,
  context: Context,
  { name, call, key, follows }: Calling,
): Promise<SeenCall> {
  const { signal } = context;
  if (follows === 'no') {
    return { answer: await client.callTool(name, call, { key, signal }), hasShown: false };
  }
  const updates = client.streamTool(name, call, { key, signal });
  return follows === 'as-json' ? streamCall(context, updates) : followCall(context, updates);
}

/** Ctrl-C ends this command. What the daemon was asked for is not ended by it. */
async function tellIfStopped<T>(
  { terminal, signal }: Context,
  work: Promise<T>,
  look: string,
): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    if (signal.aborted) {
      terminal.err(`A call that the daemon has begun may go on. What comes of it: ${look}\n`);
    }
    throw failure;
  }
}

function approvalNeeded({
  call_id,
  tool,
  approval,
}: Pick<WireCall, 'call_id' | 'tool' | 'approval'>): AosError {
  return new AosError('approval.needed', {
    message: `Call ${call_id} of ${tool} waits until a human approves it: approval ${approval}. What comes of it: aos tool calls ${call_id}`,
    fix: `aos approvals approve ${approval}`,
    details: { call_id, tool, approval },
  });
}

function stillRunning({ call_id, tool }: WireCall): AosError {
  return new AosError('tool.timeout', {
    message: `Call ${call_id} of ${tool} is still running`,
    fix: `aos tool calls ${call_id}`,
    details: { call_id, tool },
  });
}

/** Text as it is, all else as JSON; nothing in it can move the cursor. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return printable(output);
  return printable(JSON.stringify(output ?? null, undefined, 2));
}

/** What a tool brings that has run a program, as far as it is looked at. */
interface ProgramEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stopped_by: string | null;
  readonly ms: number;
  /** Undefined where it is base64. */
  readonly stdout?: string;
  readonly stderr?: string;
}

const limitWords: Readonly<Record<SandboxLimit, string>> = {
  memory: 'it used more memory than it may',
  processes: 'it started more processes than it may',
  output: 'it wrote more than it may',
  time: 'it took longer than it may',
  'file-size': 'it wrote a larger file than it may',
  workspace: 'its workspace is larger than it may be',
};

/** Undefined for what another tool brings. */
export function programEnd(output: unknown): ProgramEnd | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  const has = ['program', 'exit_code', 'signal', 'stopped_by', 'ms'].every((key) => key in output);
  // The daemon and this command are of one version, as for every answer.
  return has ? (output as ProgramEnd) : undefined;
}

/** Whether nothing came out of it at all. */
export function isSilent({ stdout, stderr }: ProgramEnd): boolean {
  return stdout === '' && stderr === '';
}

/** `exit code 0, 1.2s` */
export function endWords({ exit_code, signal, stopped_by, ms }: ProgramEnd): string {
  const took = printAmount('wall', ms);
  if (stopped_by !== null) return oneLine(`stopped: ${whyStopped(stopped_by)}, ${took}`);
  if (signal !== null) return oneLine(`killed by ${signal}, ${took}`);
  return oneLine(`exit code ${exit_code}, ${took}`);
}

function whyStopped(by: string): string {
  const known: Readonly<Record<string, string>> = limitWords;
  return known[by] ?? `by its limit "${by}"`;
}
