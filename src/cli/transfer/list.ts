/** `agent-transfer list`, `sent` and `status`. */

import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { Query } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import type { Context } from '../core/context.ts';
import { table, trimLines } from '../core/words.ts';
import {
  folderWords,
  metadataOf,
  moreWords,
  receivedWords,
  type ShownTransfer,
  sentWords,
  type TransferAs,
  transferIdOf,
  transferVerb,
  withTransfers,
} from './verb.ts';

interface ListOptions extends TransferAs {
  readonly from?: string;
  readonly to?: string;
  readonly match?: string;
  readonly metadata?: string;
  readonly all?: true;
}

const matchWords = 'only names like this; "*" is anything';
const metadataWords = 'only those with this in their metadata, as an object';

export function defineTransferLists(group: Command, context: Context): void {
  transferVerb(group, 'list', 'list what was sent to you and waits to be downloaded')
    .option('--from <agent>', 'only what this one sent')
    .option('--match <name>', matchWords)
    .option('--metadata <json>', metadataWords)
    .option('--all', 'also what is downloaded, expired or failed')
    .addHelpText(
      'after',
      '\nExamples:\n  agent-transfer list\n  agent-transfer list --from samantha --match \'*.pdf\'\n  agent-transfer list --metadata \'{"project":"referral-flow"}\' --json',
    )
    .action((options: ListOptions) => list(context, options));
  transferVerb(group, 'sent', 'list what you have sent, and how far it has come')
    .option('--to <agent>', 'only what went to this one')
    .option('--match <name>', matchWords)
    .option('--metadata <json>', metadataWords)
    .addHelpText('after', '\nExamples:\n  agent-transfer sent\n  agent-transfer sent --to jared')
    .action((options: ListOptions) => listSent(context, options));
  transferVerb(group, 'status', 'tell how a transfer stands')
    .argument('<id>', 'its id, or the beginning of it')
    .addHelpText('after', '\nExample:\n  agent-transfer status 0199c1f2')
    .action((id: string, options: TransferAs) => status(context, id, options));
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const status = options.all === true ? undefined : ('pending' as const);
  const items = await found(context, options, { box: 'received', status });
  const now = composeEngines().clock.now();
  const lines = items.map((item) =>
    [item.id, receivedWords(item), moreWords(item, now)].join('  '),
  );
  const none = options.all === true ? 'Nothing was sent to you.' : 'Nothing waits for you.';
  context.print({ data: { items }, text: items.length === 0 ? none : trimLines(lines.join('\n')) });
}

async function listSent(context: Context, options: ListOptions): Promise<void> {
  const items = await found(context, options, { box: 'sent', status: undefined });
  const rows = items.map((item) => [item.id, sentWords(item), standing(item)]);
  const text = items.length === 0 ? 'You have sent nothing.' : trimLines(table(rows));
  context.print({ data: { items }, text });
}

function standing({ status, ack, reason }: ShownTransfer): string {
  return oneLine(`${status} (${ack})${reason === null ? '' : `: ${reason}`}`);
}

type Box = Pick<Query<'transfers'>, 'box' | 'status'>;

function found(context: Context, options: ListOptions, box: Box): Promise<ShownTransfer[]> {
  const { from, to, match: filename, metadata } = options;
  // Parsed here too, so that a mistake is told in words of the command line.
  const wanted = metadata === undefined ? undefined : JSON.stringify(metadataOf(metadata));
  return withTransfers(context, options, (client, who) =>
    allPages(client, { ...who, ...box, from, to, filename, metadata: wanted }, context.signal),
  );
}

/** Every page of them, as one. */
export async function allPages(
  client: Client,
  query: Parameters<Client['transfers']>[0],
  signal: AbortSignal,
): Promise<ShownTransfer[]> {
  const items: ShownTransfer[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await client.transfers({ ...query, before, limit: 1000 }, { signal });
    items.push(...page.items);
    if (page.next === null) return items;
    before = page.next;
  }
}

async function status(context: Context, typed: string, options: TransferAs): Promise<void> {
  const id = transferIdOf(typed);
  const transfer = await withTransfers(context, options, (client, who) =>
    client.transfer(id, who, { signal: context.signal }),
  );
  const now = composeEngines().clock.now();
  context.print({ data: transfer, text: statusText(transfer, now) });
}

/** Times as they are stored: a person who asks this much wants them exact. */
export function statusText(transfer: ShownTransfer, now: Instant): string {
  const { sealed, status, ack, ack_at, metadata, reason } = transfer;
  const isLate = transfer.expires_at !== null && Date.parse(transfer.expires_at) <= now;
  const rows: [string, string | null][] = [
    ['transfer', transfer.id],
    ['file', `${transfer.filename} (${sizeText(transfer.file_size_bytes)})`],
    ['folder', folderWords(transfer).replace(/^a folder of /, '') || null],
    ['from', transfer.sender],
    ['to', transfer.recipient],
    ['status', status],
    ['ack', `${ack} at ${ack_at}`],
    ['reason', reason],
    ['sealed', sealed ? 'yes' : 'no'],
    ['sha256', transfer.sha256],
    ['metadata', Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)],
    ['sent', transfer.created_at],
    ['downloaded', transfer.downloaded_at],
    [isLate ? 'expired' : 'expires', transfer.expires_at],
    ['saved', transfer.saved_bytes === 0 ? null : sizeText(transfer.saved_bytes)],
    ['attempts', transfer.attempts === 0 ? null : String(transfer.attempts)],
  ];
  return table(rows.flatMap(([name, value]) => (value === null ? [] : [[name, oneLine(value)]])));
}
