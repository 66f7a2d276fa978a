/** `agent-transfer download` and `download-all`. */

import type { Command } from 'commander';
import type { AgentTransfer } from '../../app/library/agent-transfer.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import type { Context } from '../core/context.ts';
import type { ProgressView } from './progress.ts';
import {
  moving,
  type RunningCommand,
  receivedWords,
  type ShownTransfer,
  sizeOf,
  type TransferAs,
  transferIdOf,
  transfersOf,
  transferVerb,
  withDetails,
} from './verb.ts';

export interface DownloadOptions extends TransferAs {
  readonly dest?: string;
  readonly name?: string;
  readonly force?: true;
  readonly allowCaseClash?: true;
  readonly limitRate?: string;
}

export function defineTransferDownload(group: Command, context: Context): void {
  const one = transferVerb(group, 'download', 'fetch a file that was sent to you');
  withDownloadOptions(one)
    .argument('<id>', 'its id, or the beginning of it')
    .argument('[to]', '"-" for stdout, or a folder as --dest')
    .option('--name <name>', 'the name to give it (the one it came with)')
    .addHelpText(
      'after',
      `${helpText}\n\nExamples:\n  agent-transfer download 0199c1f2\n  agent-transfer download 0199c1f2 --dest ~/documents/\n  agent-transfer download 0199c1f2 - | tar xz`,
    )
    .action((id: string, to: string | undefined, options: DownloadOptions) =>
      download({ command: one, context }, id, {
        ...options,
        ...(to === undefined ? {} : { dest: to }),
      }),
    );
  const all = transferVerb(group, 'download-all', 'fetch all that waits for you');
  withDownloadOptions(all)
    .option('--from <agent>', 'only what this one sent')
    .addHelpText(
      'after',
      `${helpText}\nGoes on when one cannot be fetched, and ends with what was wrong with the first.\n\nExamples:\n  agent-transfer download-all\n  agent-transfer download-all --dest /home/ubuntu/clawd/downloads/`,
    )
    .action((options: AllOptions) => downloadAll({ command: all, context }, options));
}

const helpText =
  '\nNothing is under its name before it is whole, and nothing is replaced without --force.\nCut off at any moment, the same command goes on from there.';

function withDownloadOptions(command: Command): Command {
  return command
    .option('--dest <folder>', 'where to put it (here); it is made where there is none')
    .option('--force', 'replace what stands there')
    .option('--allow-case-clash', 'take a folder with names that differ only in A and a')
    .option('--limit-rate <rate>', 'at most so many bytes a second, as 500k or 5M');
}

const kept = 'What has been received so far is kept: the same command goes on from there.';

async function download(
  running: RunningCommand,
  typed: string,
  options: DownloadOptions,
): Promise<void> {
  const { context, command } = running;
  const id = transferIdOf(typed);
  const chosen = receiveOptions(options, context.signal);
  if (options.dest === '-') return toStdout(running, id, options);
  const transfers = await transfersOf(context, options);
  const received = await moving(context, { command, kept }, (view) =>
    transfers.download(id, { ...chosen, onProgress: view.show }),
  );
  context.print({ data: dataOf(received), text: receivedText(received) });
}

/** Nothing but the bytes goes there, whatever else is asked for. */
async function toStdout(
  { context, command }: RunningCommand,
  id: string,
  options: DownloadOptions,
): Promise<void> {
  const { rawOut } = context.terminal;
  if (rawOut === undefined) throw ontoTerminal(id);
  const transfers = await transfersOf(context, options);
  const write = async (bytes: Uint8Array): Promise<void> => await rawOut(bytes);
  const { limitBytesPerSecond, signal } = receiveOptions(options, context.signal);
  await moving(context, { command, kept: 'It can be fetched again.' }, (view) =>
    transfers.downloadTo(id, write, { limitBytesPerSecond, signal, onProgress: view.show }),
  );
}

export function receiveOptions(options: DownloadOptions, signal: AbortSignal) {
  const { dest, name, force, allowCaseClash, limitRate } = options;
  const limitBytesPerSecond =
    limitRate === undefined ? undefined : sizeOf('--limit-rate', limitRate);
  return { dest, name, force, allowCaseClash, limitBytesPerSecond, signal };
}

function ontoTerminal(id: string): AosError {
  return new AosError('usage.bad-value', {
    message: 'What is in the file would go to your terminal, which may do anything with it',
    fix: `agent-transfer download ${id} - | less`,
  });
}

type Received = Awaited<ReturnType<AgentTransfer['download']>>;

export function dataOf({ transfer, path, resumedBytes }: Received) {
  return { transfer, path, resumed_bytes: resumedBytes };
}

export function receivedText({ path, resumedBytes }: Received): string {
  const line = `Downloaded to: ${oneLine(path)}`;
  return resumedBytes === 0 ? line : `${line}\nwent on after ${sizeText(resumedBytes)}`;
}

interface AllOptions extends DownloadOptions {
  readonly from?: string;
}

interface Failed {
  readonly transfer: ShownTransfer;
  readonly failure: AosError;
}

async function downloadAll(
  { command, context }: RunningCommand,
  options: AllOptions,
): Promise<void> {
  if (options.dest === '-') throw oneAtATime();
  const chosen = receiveOptions(options, context.signal);
  const transfers = await transfersOf(context, options);
  const pending = [
    ...(await transfers.listUnnamed(options.dest ?? '.')),
    ...(await transfers.listPending({ from: options.from })),
  ];
  if (pending.length === 0) {
    context.print({ data: { downloaded: [], failed: [] }, text: 'Nothing waits for you.' });
    return;
  }
  const downloaded: Received[] = [];
  const failed: Failed[] = [];
  for (const transfer of pending) {
    const fetch = (view: ProgressView) =>
      downloadBeside(transfers, transfer, { ...chosen, onProgress: view.show });
    try {
      const received = await moving(context, { command, kept }, fetch);
      downloaded.push(received);
      context.words(receivedText(received));
    } catch (failure) {
      if (context.signal.aborted || !(failure instanceof AosError)) throw failure;
      failed.push({ transfer, failure });
      context.words(`Not downloaded: ${receivedWords(transfer)}. ${oneLine(failure.message)}.`);
    }
  }
  endAll(context, downloaded, failed);
}

/**
 * Where something stands under its name already, it gets one of its own: no person is there to be
 * asked, and what is sent every day has the same name every day.
 */
export async function downloadBeside(
  transfers: AgentTransfer,
  { id, filename }: ShownTransfer,
  options: Parameters<AgentTransfer['download']>[1],
): Promise<Received> {
  try {
    return await transfers.download(id, options);
  } catch (failure) {
    const isTaken = failure instanceof AosError && failure.code === 'transfer.exists';
    if (!isTaken || options?.name !== undefined) throw failure;
    return transfers.download(id, { ...options, name: ownName(filename, id) });
  }
}

const mostNameBytes = 255;

/** `report.3e577f.md`: with the end of the id, as in the key of the transfer. */
export function ownName(filename: string, id: string): string {
  const [, stem = filename, end = ''] = /^(.+?)((?:\.[A-Za-z0-9]{1,8}){0,2})$/.exec(filename) ?? [];
  const mark = `.${id.slice(-6)}${end}`;
  let short = stem;
  while (Buffer.byteLength(short + mark) > mostNameBytes) short = short.slice(0, -1);
  return `${short.toWellFormed()}${mark}`;
}

function endAll(
  context: Context,
  downloaded: readonly Received[],
  failed: readonly Failed[],
): void {
  const data = {
    downloaded: downloaded.map(dataOf),
    failed: failed.map(({ transfer, failure: { code, message } }) => ({
      id: transfer.id,
      error: { code, message },
    })),
  };
  const all = downloaded.length + failed.length;
  const [first] = failed;
  if (first === undefined) {
    context.print({ data, text: `${downloaded.length} of ${all} downloaded.` });
    return;
  }
  const words = `${failed.length} of ${all} could not be downloaded. The first: ${first.failure.message}`;
  throw withDetails(first.failure, words, data);
}

function oneAtATime(): AosError {
  return new AosError('usage.bad-value', {
    message: 'Several files cannot go to stdout, where nobody could tell them apart',
    fix: 'agent-transfer download ID - for each',
  });
}
