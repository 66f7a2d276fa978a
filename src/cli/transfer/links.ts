/** `agent-transfer link`, `upload-link`, `links` and `unlink`: for humans with a browser. */
import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { counted, table } from '../core/words.ts';
import {
  lifetimeOf,
  linkIdOf,
  looksLikeId,
  moving,
  type RunningCommand,
  sizeOf,
  type TransferAs,
  transfersOf,
  transferVerb,
  withTransfers,
} from './verb.ts';

export function defineTransferLinks(group: Command, context: Context): void {
  const link = transferVerb(group, 'link', 'make a link with which a human downloads a file');
  link
    .argument('<what>', 'the id of a transfer, or a file')
    .option('--ttl <time>', 'how long it opens', '1d')
    .option('--max-downloads <n>', 'how many times', '1')
    .addHelpText(
      'after',
      '\nThe key is in the link, behind the "#", and is opened with in the browser: whoever has\nthe link has the file. It is shown this once.\n\nExamples:\n  agent-transfer link 0199c1f2 --ttl 1h\n  agent-transfer link ./report.pdf --max-downloads 3',
    )
    .action((what: string, options: LinkOptions) =>
      makeLink({ command: link, context }, what, options),
    );
  transferVerb(group, 'upload-link', 'make a link with which a human sends you one file')
    .option('--ttl <time>', 'how long it takes one', '1d')
    .option('--max-size <size>', 'how large the file may be, as 10M', '100MiB')
    .addHelpText(
      'after',
      '\nExample:\n  agent-transfer upload-link --as jean --ttl 2h --max-size 10M',
    )
    .action((options: UploadOptions) => makeUploadLink(context, options));
  transferVerb(group, 'links', 'list the links you have made')
    .addHelpText('after', '\nExample:\n  agent-transfer links')
    .action((options: TransferAs) => listLinks(context, options));
  transferVerb(group, 'unlink', 'let nobody in by a link any more')
    .argument('<id>', 'its id, as "links" shows it')
    .addHelpText('after', '\nExample:\n  agent-transfer unlink 0199c1f2')
    .action((id: string, options: TransferAs) => unlink(context, id, options));
}

interface LinkOptions extends TransferAs {
  readonly ttl: string;
  readonly maxDownloads: string;
}

async function makeLink(
  running: RunningCommand,
  what: string,
  options: LinkOptions,
): Promise<void> {
  const { context } = running;
  const ttl_ms = lifetimeOf('--ttl', options.ttl);
  const most_uses = numberOf('--max-downloads', options.maxDownloads, { least: 1, most: 10_000 });
  const id = looksLikeId(what) ? what : await sentToOwner(running, what, options, ttl_ms);
  const made = await withTransfers(context, options, (client, who) =>
    client.linkTransfer(id, { ...who, ttl_ms, most_uses }, { signal: context.signal }),
  );
  const times = most_uses === 1 ? 'once' : `${most_uses} times`;
  const words = `Opens ${times}, until ${made.expires_at}. Whoever has it has the file; it is not shown again.`;
  context.print({ data: made, text: `${addressOf(made)}\n${words}` });
}

/** A file is sent first, to the one who is there for every human: the owner. */
async function sentToOwner(
  { command, context }: RunningCommand,
  path: string,
  options: LinkOptions,
  expiresMs: number,
): Promise<string> {
  const transfers = await transfersOf(context, options);
  const { signal } = context;
  const kept = 'What has been read so far is kept: the same command goes on from there.';
  const sent = await moving(context, { command, kept }, (view) =>
    transfers.send(path, { to: 'owner', expiresMs, signal, onProgress: view.show }),
  );
  return sent.id;
}

type MadeLink = Answer<'linkTransfer'>;

function addressOf({ url, path }: MadeLink): string {
  return url ?? `${path}\n(behind the address of the daemon, which does not run: aos up --detach)`;
}

interface UploadOptions extends TransferAs {
  readonly ttl: string;
  readonly maxSize: string;
}

async function makeUploadLink(context: Context, options: UploadOptions): Promise<void> {
  const ttl_ms = lifetimeOf('--ttl', options.ttl);
  const most_bytes = sizeOf('--max-size', options.maxSize);
  const made = await withTransfers(context, options, (client, who) =>
    client.uploadLink({ ...who, ttl_ms, most_bytes }, { signal: context.signal }),
  );
  const to = made.recipient ?? 'you';
  const words = `Takes one file for ${to}, until ${made.expires_at}. It is not shown again.`;
  context.print({ data: made, text: `${addressOf(made)}\n${oneLine(words)}` });
}

async function listLinks(context: Context, options: TransferAs): Promise<void> {
  const found = await withTransfers(context, options, (client, who) =>
    client.transferLinks(who, { signal: context.signal }),
  );
  const rows = found.items.map((link) => [
    link.id,
    link.kind,
    link.kind === 'download' ? `transfer ${link.transfer}` : `to ${oneLine(link.recipient ?? '')}`,
    `${link.uses} of ${counted(link.most_uses, 'use')}`,
    link.revoked ? 'revoked' : `until ${link.expires_at}`,
  ]);
  context.print({ data: found, text: rows.length === 0 ? 'There are no links.' : table(rows) });
}

async function unlink(context: Context, typed: string, options: TransferAs): Promise<void> {
  const id = linkIdOf(typed);
  const link = await withTransfers(context, options, (client, who) =>
    client.revokeLink(id, who, { signal: context.signal }),
  );
  context.print({ data: link, text: `Link ${link.id} lets nobody in any more.` });
}
