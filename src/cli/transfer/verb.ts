/** What the commands about transfers have in common. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { AgentTransfer } from '../../app/library/agent-transfer.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import { actingAs, agentDoor, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf } from '../core/input.ts';
import { durationWords } from '../core/words.ts';
import { type ProgressView, progressView } from './progress.ts';

const holder = 'agent-transfer';

/** What every one of these commands takes. */
export interface TransferAs {
  readonly as?: string;
}

/** One of these commands, and what it runs in. */
export interface RunningCommand {
  readonly command: Command;
  readonly context: Context;
}

/** A command below `aos transfer`, which is below nothing as `agent-transfer`. */
export function transferVerb(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .option('--as <agent>', 'act as this agent (AOS_AGENT, else owner)');
}

/** Does the work with the home, as the principal that the command acts as. */
export function withTransfers<T>(
  context: Context,
  { as }: TransferAs,
  work: (client: Client, who: { readonly as: string | undefined }) => Promise<T>,
): Promise<T> {
  const who = { as: actingAs(context, as) };
  return withHome(context, { holder }, (client) => work(client, who));
}

/** The library, over the same home. */
export async function transfersOf(context: Context, { as }: TransferAs): Promise<AgentTransfer> {
  const sender = actingAs(context, as);
  // Loaded when it is needed: no other command pays for it.
  const { AgentTransfer } = await import('../../app/library/agent-transfer.ts');
  const use = <T>(work: (client: Client) => Promise<T>) => withHome(context, { holder }, work);
  return new AgentTransfer({ sender, handle: agentDoor(context)?.handle, use });
}

/** Bytes go while it lasts: with progress, and with words when it is interrupted. */
export async function moving<T>(
  context: Context,
  { command, kept }: { readonly command: Command; readonly kept: string },
  work: (view: ProgressView) => Promise<T>,
): Promise<T> {
  const { terminal, signal } = context;
  const json = isJson(command);
  using view = progressView({ terminal, clock: composeEngines().clock, json });
  try {
    return await work(view);
  } catch (failure) {
    view[Symbol.dispose]();
    if (signal.aborted && !json) terminal.err(`${kept}\n`);
    throw failure;
  }
}

export function isJson(command: Command): boolean {
  return command.optsWithGlobals()['json'] === true;
}

/** A copy of a failure, with more said about it. */
export function withDetails(failure: AosError, message: string, details: unknown): AosError {
  const { code, fix } = failure;
  return new AosError(code, { message, fix, details, cause: failure });
}

export type ShownTransfer = Answer<'transfer'>;

/** `research.pdf from samantha (2.3 MB)` */
export function receivedWords({ filename, sender, file_size_bytes }: ShownTransfer): string {
  return oneLine(`${filename} from ${sender} (${sizeText(file_size_bytes)})`);
}

/** `research.pdf to jared (2.3 MB)` */
export function sentWords({ filename, recipient, file_size_bytes }: ShownTransfer): string {
  return oneLine(`${filename} to ${recipient} (${sizeText(file_size_bytes)})`);
}

/** What else there is to say in a list: a folder, its metadata, how it stands. */
export function moreWords(transfer: ShownTransfer, now: Instant): string {
  const { metadata, status, ack, reason } = transfer;
  const words = [
    folderWords(transfer),
    Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata),
    status === 'pending' ? untilWords(transfer, now) : `${status} (${ack})`,
    reason ?? '',
  ];
  return oneLine(words.filter((word) => word !== '').join('  '));
}

export function folderWords({ kind, entries }: ShownTransfer): string {
  if (kind !== 'folder') return '';
  return entries === 1 ? 'a folder of 1 entry' : `a folder of ${entries ?? 0} entries`;
}

function untilWords({ ack, expires_at }: ShownTransfer, now: Instant): string {
  if (expires_at === null) return ack;
  const leftMs = Date.parse(expires_at) - now;
  return leftMs <= 0 ? 'expired' : `expires in ${durationWords(leftMs)}`;
}

const factors: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 },
  ...{ ki: 2 ** 10, mi: 2 ** 20, gi: 2 ** 30, ti: 2 ** 40 },
};

/** `500`, `64k`, `5M`, `1.5GB`, `10MiB`: in bytes. */
export function sizeOf(option: string, text: string): number {
  const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmgt]?i?)b?$/i.exec(text) ?? [];
  const factor = factors[unit.toLowerCase()];
  const bytes = amount === undefined ? 0 : Math.round(Number(amount) * (factor ?? 0));
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new AosError('usage.bad-value', {
    message: `${option} wants a size, and got ${quote(text.slice(0, 100))}`,
    fix: `Write it as 500k, 5M or 1.5G: ${option} 5M`,
  });
}

/** An object in JSON. */
export function metadataOf(text: string): Record<string, unknown> {
  const value = parsed(text);
  // What JSON.parse gives, and is neither null nor a list, is an object with text for keys.
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new AosError('usage.bad-value', {
    message: `--metadata wants an object in JSON, and got ${quote(text.slice(0, 100))}`,
    fix: `Quote it for your shell: --metadata '{"project":"referral-flow"}'`,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever is wrong with it, the answer is the same.
    return undefined;
  }
}

/** Of `--to a,b` and `--to a --to b`. */
export function recipientsOf(given: readonly string[]): string[] {
  const names = given
    .flatMap((words) => words.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > 0) return [...new Set(names)];
  throw new AosError('usage.missing-argument', {
    message: 'Nobody is named who should get it',
    fix: 'agent-transfer send FILE --to jared,jean',
  });
}

/** An id of a transfer, or enough of its beginning. What is none would be another path. */
export function transferIdOf(typed: string): string {
  return idOf(typed, 'transfer', '"agent-transfer list" and "sent" show them');
}

/** Like transferIdOf(), for a link. */
export function linkIdOf(typed: string): string {
  return idOf(typed, 'link', '"agent-transfer links" shows them');
}

function idOf(typed: string, what: string, where: string): string {
  if (looksLikeId(typed)) return typed;
  throw new AosError('usage.bad-value', {
    message: `${quote(typed.slice(0, 100))} is no id of a ${what}, nor the beginning of one`,
    fix: `Give at least four of its hex digits, as ${where}`,
  });
}

const mostMs = 366 * 24 * 3_600_000;

/** How long something is kept: at least a second, and at most a year. */
export function lifetimeOf(option: string, text: string): number {
  const ms = durationOf(option, text);
  if (ms >= 1000 && ms <= mostMs) return ms;
  throw new AosError('usage.bad-value', {
    message: `${option} is from 1s to 366d, and not ${quote(text.slice(0, 100))}`,
    fix: `${option} 24h`,
  });
}

export function looksLikeId(typed: string): boolean {
  return /^[0-9a-f][0-9a-f-]{3,35}$/.test(typed);
}
