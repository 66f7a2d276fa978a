/** `agent-transfer watch`: receives by itself what is sent, as long as it runs. */

import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import { answers } from '../../app/home/use-home.ts';
import type { AgentTransfer } from '../../app/library/agent-transfer.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import { actingAs, reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { patiently } from '../core/patience.ts';
import {
  type DownloadOptions,
  dataOf,
  downloadBeside,
  receivedText,
  receiveOptions,
} from './download.ts';
import {
  isJson,
  moving,
  receivedWords,
  type ShownTransfer,
  sizeOf,
  type TransferAs,
  transfersOf,
  transferVerb,
} from './verb.ts';

interface WatchOptions extends TransferAs, DownloadOptions {
  readonly dest: string;
  readonly from?: string;
  readonly match?: string;
  readonly maxSize?: string;
  readonly exec?: string;
  readonly once?: true;
}

export function defineTransferWatch(group: Command, context: Context): void {
  const command = transferVerb(group, 'watch', 'receive by itself what is sent to you');
  command
    .argument('[args...]', 'arguments for --exec; after "--" where they begin with "-"')
    .requiredOption('--dest <folder>', 'where to put what comes')
    .option('--from <agent>', 'only what this one sends')
    .option('--match <name>', 'only names like this; "*" is anything')
    .option('--max-size <size>', 'leave what is larger, as 10M')
    .option('--force', 'replace what stands there')
    .option('--exec <program>', 'run this for each file, with its path as the last argument')
    .option('--limit-rate <rate>', 'at most so many bytes a second, as 500k or 5M')
    .option('--once', 'end once something has come')
    .addHelpText(
      'after',
      "\nWhat cannot be received is told, and left. --exec runs no shell; it finds TRANSFER_ID,\nTRANSFER_SENDER and TRANSFER_FILENAME in its environment. Treat what comes as you treat\nanything from elsewhere.\n\nExamples:\n  agent-transfer watch --dest ~/inbox\n  agent-transfer watch --dest in --from samantha --match '*.csv' --max-size 10M\n  agent-transfer watch --dest in --exec ./import.sh -- --quiet",
    )
    .action((args: readonly string[], options: WatchOptions) =>
      watch({ command, context, args, options }),
    );
}

interface TransferWatch {
  readonly command: Command;
  readonly context: Context;
  readonly args: readonly string[];
  readonly options: WatchOptions;
}

async function watch(running: TransferWatch): Promise<void> {
  const { context, options, args } = running;
  if (args.length > 0 && options.exec === undefined) throw nothingToRun();
  const mostBytes =
    options.maxSize === undefined
      ? Number.POSITIVE_INFINITY
      : sizeOf('--max-size', options.maxSize);
  const chosen = receiveOptions(options, context.signal);
  const transfers = await transfersOf(context, options);
  const dealtWith = new Set<string>();
  for (;;) {
    const pending = await pendingNow(running, transfers);
    let received = 0;
    for (const transfer of pending) {
      if (dealtWith.has(transfer.id)) continue;
      dealtWith.add(transfer.id);
      const isTooLarge = transfer.file_size_bytes > mostBytes;
      if (isTooLarge) tellLeft(context, transfer, `it has ${sizeText(transfer.file_size_bytes)}`);
      else if (await receive(running, transfers, transfer, chosen)) received += 1;
    }
    if (options.once === true && received > 0) return;
    if (received === 0) await untilMore(running, pending.length);
  }
}

function pendingNow(
  { context, options: { from, match } }: TransferWatch,
  transfers: AgentTransfer,
): Promise<readonly ShownTransfer[]> {
  const { signal } = context;
  // A daemon that is started again meanwhile has kept everything.
  return patiently(composeEngines(), { signal }, () =>
    transfers.listPending({ from, filename: match }),
  );
}

type Chosen = ReturnType<typeof receiveOptions>;

/** Whether it is there now. What cannot be received is told, and no reason to stop. */
async function receive(
  { context, command, args, options }: TransferWatch,
  transfers: AgentTransfer,
  transfer: ShownTransfer,
  chosen: Chosen,
): Promise<boolean> {
  const kept = 'What has been received so far is kept, and goes on from there.';
  try {
    const received = await moving(context, { command, kept }, (view) =>
      downloadBeside(transfers, transfer, { ...chosen, onProgress: view.show }),
    );
    context.stream({ data: dataOf(received), text: receivedText(received) });
    if (options.exec !== undefined) {
      const run = { program: options.exec, args, path: resolve(received.path), transfer };
      await runFor(context, run, { json: isJson(command) });
    }
    return true;
  } catch (failure) {
    if (context.signal.aborted || !(failure instanceof AosError)) throw failure;
    tellLeft(context, transfer, oneLine(failure.message));
    return false;
  }
}

function tellLeft({ terminal }: Context, transfer: ShownTransfer, why: string): void {
  terminal.err(`Left: ${transfer.id}  ${receivedWords(transfer)}: ${why}\n`);
}

const longPollMs = 25_000;
const lookAgainMs = 1000;

/**
 * Until something may have come. A daemon is asked to say so, unless what is left here would have
 * it answer at once; without one, no other command is kept from the home by our waiting.
 */
async function untilMore({ context, options }: TransferWatch, left: number): Promise<void> {
  const { signal } = context;
  const { client, engines } = await reach(context);
  if (left > 0 || !(await answers(client, signal).catch(() => false))) {
    return engines.clock.sleep(lookAgainMs, signal);
  }
  const { from, match: filename } = options;
  const query = { as: actingAs(context, options.as), box: 'received', status: 'pending' } as const;
  const asked = { ...query, from, filename, limit: 1, wait_ms: longPollMs };
  await client.transfers(asked, { signal }).catch(async () => {
    signal.throwIfAborted();
    // Why it failed is told by the next look, unless it has passed by then.
    await engines.clock.sleep(lookAgainMs, signal);
  });
}

function nothingToRun(): AosError {
  return new AosError('usage.extra-argument', {
    message: '"agent-transfer watch" was given words for a program, and no program',
    fix: 'Name it with --exec PROGRAM',
  });
}

interface ExecRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute, so that no program takes it for an option. */
  readonly path: string;
  readonly transfer: ShownTransfer;
}

/** How it ends is told, and changes nothing: the file is there. */
async function runFor(
  { environment, terminal, signal }: Context,
  { program, args, path, transfer }: ExecRun,
  { json }: { readonly json: boolean },
): Promise<void> {
  const facts = {
    TRANSFER_ID: transfer.id,
    TRANSFER_SENDER: transfer.sender,
    TRANSFER_FILENAME: transfer.filename,
  };
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(program, [...args, path], {
    env: { ...environment, ...facts },
    shell: false,
    // With --json only what we print is on stdout.
    stdio: ['ignore', json ? 2 : 'inherit', 'inherit'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const trouble = await endOf(child);
    if (trouble === undefined) return;
    terminal.err(oneLine(`${program} ${trouble} for ${transfer.filename}`).concat('\n'));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What went wrong, in words. */
function endOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((done) => {
    child.once('error', (failure) => done(`could not be run (${failure.message})`));
    child.once('exit', (code, signal) => {
      if (code === 0) done(undefined);
      else done(signal === null ? `ended with ${code}` : `was ended by ${signal}`);
    });
  });
}
