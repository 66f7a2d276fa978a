/** `agent-transfer send`: a file, a folder, or what is piped in. */

import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { AgentTransfer } from '../../app/library/agent-transfer.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { sizeText, type TransferAck, transferAcks } from '../../kernel/transfer/transfer.ts';
import type { Context } from '../core/context.ts';
import { durationOf } from '../core/input.ts';
import { repeated } from '../core/words.ts';
import {
  lifetimeOf,
  metadataOf,
  moving,
  type RunningCommand,
  recipientsOf,
  type ShownTransfer,
  sentWords,
  sizeOf,
  type TransferAs,
  transfersOf,
  transferVerb,
  withDetails,
} from './verb.ts';

interface SendOptions extends TransferAs {
  readonly to: readonly string[];
  readonly metadata?: string;
  readonly expires?: string;
  readonly name?: string;
  readonly plain?: true;
  readonly links?: 'keep' | 'skip';
  readonly limitRate?: string;
  readonly wait?: TransferAck;
  readonly timeout?: string;
  readonly dryRun?: true;
}

// States that are not waited for: they are reached by going wrong.
const waitable = transferAcks.filter((ack) => ack !== 'failed' && ack !== 'revoked');

export function defineTransferSend(group: Command, context: Context): void {
  const command = transferVerb(group, 'send', 'send a file or a folder to agents');
  command
    .argument('<path>', 'a file, a folder, or "-" for what is piped in')
    .requiredOption('--to <agents>', 'who gets it: names with commas between them', repeated)
    .option('--metadata <json>', 'an object that goes along, to find it by')
    .option('--expires <time>', 'how long it can be fetched, as 24h or 30d (7d)')
    .option('--name <name>', 'the name under which it arrives (its own)')
    .option('--plain', 'do not seal it: whoever can read the store can read it')
    .addOption(
      new Option('--links <what>', 'symlinks in a folder (keep)').choices(['keep', 'skip']),
    )
    .option('--limit-rate <rate>', 'at most so many bytes a second, as 500k or 5M')
    .addOption(
      new Option('--wait <state>', 'wait until everybody has got that far').choices(waitable),
    )
    .option('--timeout <time>', 'how long --wait waits (5m)')
    .option('--dry-run', 'say what would be sent, and send nothing')
    .addHelpText(
      'after',
      '\nEnds well once the bytes cannot be lost any more. Cut off at any moment, the same\ncommand goes on from there.\n\nExamples:\n  agent-transfer send report.pdf --to jared\n  agent-transfer send data/ --to jared,jean --expires 24h\n  agent-transfer send notes.md --to jared --metadata \'{"project":"referral-flow"}\'\n  tar cz logs | agent-transfer send - --name logs.tar.gz --to jean\n  agent-transfer send plan.md --to jared --wait accepted --timeout 10m',
    )
    .action((path: string, options: SendOptions) => send({ command, context }, path, options));
}

async function send(running: RunningCommand, path: string, options: SendOptions): Promise<void> {
  const { context, command } = running;
  if (path === '-' && options.name === undefined) throw noName();
  const chosen = chosenOf(options, context.signal);
  // A mistake is told before anything is sent.
  timeoutOf(options);
  if (options.dryRun === true) return tryOut(context, path, { ...chosen, name: options.name });
  const transfers = await transfersOf(context, options);
  const kept = path === '-' ? beginsAnew : goesOn;
  const done = await moving(context, { command, kept }, (view) =>
    sendOne(context, transfers, path, { ...chosen, name: options.name, onProgress: view.show }),
  );
  const sent = { ...done, transfers: await waited(running, transfers, done, options) };
  context.print({ data: dataOf(sent), text: sentText(sent) });
}

function timeoutOf({ wait, timeout }: SendOptions): number {
  if (timeout === undefined) return usualWaitMs;
  const timeoutMs = durationOf('--timeout', timeout);
  if (wait !== undefined) return timeoutMs;
  throw new AosError('usage.bad-value', {
    message: '--timeout says how long --wait waits, and --wait is not there',
    fix: 'Add --wait verified, or leave --timeout out',
  });
}

const usualWaitMs = 5 * 60_000;
const beginsAnew = 'Nothing was sent: what is piped in has to be piped in anew.';
const goesOn = 'What has been sent so far is kept: the same command goes on from there.';

type Chosen = Omit<Parameters<AgentTransfer['send']>[1], 'name'>;

function chosenOf(options: SendOptions, signal: AbortSignal) {
  const { metadata, expires, limitRate, plain, links } = options;
  return {
    to: recipientsOf(options.to),
    metadata: metadata === undefined ? undefined : metadataOf(metadata),
    expiresMs: expires === undefined ? undefined : lifetimeOf('--expires', expires),
    limitBytesPerSecond: limitRate === undefined ? undefined : sizeOf('--limit-rate', limitRate),
    ...{ plain, links, signal },
  } satisfies Chosen;
}

function sendOne(
  { terminal }: Context,
  transfers: AgentTransfer,
  path: string,
  { name, ...options }: Parameters<AgentTransfer['send']>[1],
): Promise<Sent> {
  if (path !== '-') return transfers.send(path, { ...options, name });
  return transfers.sendBuffer(
    terminal.input.read(),
    must(name, 'the name of what stdin has'),
    options,
  );
}

type Sent = Awaited<ReturnType<AgentTransfer['send']>>;

/** One after the other, because a home without a daemon is open to one; the time is for all. */
function waited(
  { command, context }: RunningCommand,
  transfers: AgentTransfer,
  sent: Sent,
  options: SendOptions,
): Promise<readonly ShownTransfer[]> {
  const { wait } = options;
  if (wait === undefined) return Promise.resolve(sent.transfers);
  const { clock } = composeEngines();
  const { signal } = context;
  const deadline = clock.monotonicMs() + timeoutOf(options);
  return moving(context, { command, kept: `It is sent, as transfer ${sent.id}.` }, async (view) => {
    view.show({ phase: 'waiting', doneBytes: 0, totalBytes: null });
    const reached: ShownTransfer[] = [];
    for (const { id } of sent.transfers) {
      const timeoutMs = Math.max(0, deadline - clock.monotonicMs());
      const asked = transfers.waitFor(id, wait, { timeoutMs, signal });
      reached.push(await asked.catch((failure: unknown) => Promise.reject(butSent(failure, sent))));
    }
    return reached;
  });
}

/** A sender that waits in vain has sent it all the same, and needs to know as what. */
function butSent(failure: unknown, sent: Sent): unknown {
  if (!(failure instanceof AosError)) return failure;
  const message = `${failure.message}. It was sent, as transfer ${sent.id}`;
  return withDetails(failure, message, dataOf(sent));
}

function dataOf({ id, transfers, savedBytes, resumedBytes }: Sent) {
  return { id, transfers, saved_bytes: savedBytes, resumed_bytes: resumedBytes };
}

function sentText({ transfers, savedBytes, resumedBytes }: Sent): string {
  const lines = transfers.map((transfer) => `${transfer.id}  ${sentWords(transfer)}`);
  if (resumedBytes > 0) lines.push(`went on after ${sizeText(resumedBytes)}`);
  if (savedBytes > 0) lines.push(`saved ${sizeText(savedBytes)}`);
  return lines.join('\n');
}

function noName(): AosError {
  return new AosError('usage.missing-argument', {
    message: 'What is piped in has no name of its own',
    fix: 'Give it one: --name logs.tar.gz',
  });
}

interface Tried {
  readonly to: readonly string[];
  readonly plain: true | undefined;
  readonly name: string | undefined;
}

/** Looks at the source alone: whether there is room, and for whom, is known when it is sent. */
async function tryOut(context: Context, path: string, { to, plain, name }: Tried): Promise<void> {
  const entry = path === '-' ? undefined : await composeEngines().disk.stat(resolve(path));
  if (path !== '-' && entry === undefined) throw nothingThere(path);
  const filename = name ?? basename(resolve(path));
  const isFolder = entry?.kind === 'folder';
  const size = entry === undefined || isFolder ? null : entry.sizeBytes;
  const what = `${isFolder ? 'the folder ' : ''}${quote(filename)}`;
  const inBytes = size === null ? '' : ` (${sizeText(size)})`;
  const how = plain === true ? 'not sealed' : 'sealed';
  const text = `Would send ${what}${inBytes}, ${how}, to ${to.join(', ')}. Nothing was sent.`;
  const data = { dry_run: true, filename, file_size_bytes: size, to, sealed: plain !== true };
  context.print({ data, text: oneLine(text) });
}

function nothingThere(path: string): AosError {
  return new AosError('disk.missing', {
    message: `There is nothing at ${quote(path)} to send`,
    fix: 'Check the path',
  });
}
