/** `agent-transfer share`, `revoke`, `accept`, `reject` and `cleanup`. */

import type { Command } from 'commander';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import type { Context } from '../core/context.ts';
import { counted, repeated } from '../core/words.ts';
import {
  lifetimeOf,
  receivedWords,
  recipientsOf,
  sentWords,
  type TransferAs,
  transferIdOf,
  transferVerb,
  withTransfers,
} from './verb.ts';

export function defineTransferSettling(group: Command, context: Context): void {
  const idWords = 'its id, or the beginning of it';
  transferVerb(group, 'share', 'send what you have sent to others too; nothing is stored again')
    .argument('<id>', idWords)
    .requiredOption('--to <agents>', 'who gets it too: names with commas between them', repeated)
    .option('--expires <time>', 'how long they can fetch it (as long as the first)')
    .addHelpText('after', '\nExample:\n  agent-transfer share 0199c1f2 --to jean')
    .action((id: string, options: ShareOptions) => share(context, id, options));
  transferVerb(group, 'revoke', 'take back what you have sent: from now on it cannot be fetched')
    .argument('<id>', idWords)
    .addHelpText(
      'after',
      '\nWhat was fetched before stays with whoever has it.\n\nExample:\n  agent-transfer revoke 0199c1f2',
    )
    .action((id: string, options: TransferAs) => revoke(context, id, options));
  transferVerb(group, 'accept', 'tell the sender that what you have downloaded is right')
    .argument('<id>', idWords)
    .addHelpText('after', '\nExample:\n  agent-transfer accept 0199c1f2')
    .action((id: string, options: TransferAs) => accept(context, id, options));
  transferVerb(group, 'reject', 'tell the sender that it is not, and why')
    .argument('<id>', idWords)
    .requiredOption('--reason <text>', 'what is wrong with it')
    .addHelpText(
      'after',
      '\nExample:\n  agent-transfer reject 0199c1f2 --reason "Page 3 is missing"',
    )
    .action((id: string, options: RejectOptions) => reject(context, id, options));
  transferVerb(group, 'cleanup', 'let go what has expired, and free its room')
    .option('--dry-run', 'say what would go, and let nothing go')
    .addHelpText(
      'after',
      '\nThe daemon does the same every minute.\n\nExamples:\n  agent-transfer cleanup --dry-run\n  agent-transfer cleanup',
    )
    .action((options: CleanupOptions) => cleanup(context, options));
}

interface ShareOptions extends TransferAs {
  readonly to: readonly string[];
  readonly expires?: string;
}

async function share(context: Context, typed: string, options: ShareOptions): Promise<void> {
  const id = transferIdOf(typed);
  const to = recipientsOf(options.to);
  const { expires } = options;
  const expires_ms = expires === undefined ? undefined : lifetimeOf('--expires', expires);
  const shared = await withTransfers(context, options, (client, who) =>
    client.shareTransfer(id, { ...who, to, expires_ms }, { signal: context.signal }),
  );
  const lines = shared.transfers.map((transfer) => `${transfer.id}  ${sentWords(transfer)}`);
  if (shared.saved_bytes > 0) lines.push(`saved ${sizeText(shared.saved_bytes)}`);
  context.print({ data: shared, text: lines.join('\n') });
}

async function revoke(context: Context, typed: string, options: TransferAs): Promise<void> {
  const id = transferIdOf(typed);
  const transfer = await withTransfers(context, options, (client, who) =>
    client.revokeTransfer(id, who, { signal: context.signal }),
  );
  const text = `Revoked: ${sentWords(transfer)}. It cannot be fetched any more.`;
  context.print({ data: transfer, text });
}

async function accept(context: Context, typed: string, options: TransferAs): Promise<void> {
  const id = transferIdOf(typed);
  const transfer = await withTransfers(context, options, (client, who) =>
    client.acceptTransfer(id, who, { signal: context.signal }),
  );
  const text = `Accepted: ${receivedWords(transfer)}. The sender is told.`;
  context.print({ data: transfer, text });
}

interface RejectOptions extends TransferAs {
  readonly reason: string;
}

async function reject(context: Context, typed: string, options: RejectOptions): Promise<void> {
  const id = transferIdOf(typed);
  const { reason } = options;
  const transfer = await withTransfers(context, options, (client, who) =>
    client.rejectTransfer(id, { ...who, reason }, { signal: context.signal }),
  );
  const text = `Rejected: ${receivedWords(transfer)}. The sender is told why.`;
  context.print({ data: transfer, text });
}

interface CleanupOptions extends TransferAs {
  readonly dryRun?: true;
}

async function cleanup(context: Context, options: CleanupOptions): Promise<void> {
  const dry_run = options.dryRun === true;
  const done = await withTransfers(context, options, (client, who) =>
    client.cleanupTransfers({ ...who, dry_run }, { signal: context.signal }),
  );
  const { expired, freed_bytes } = done;
  const what = `${counted(expired, 'expired transfer')} (${sizeText(freed_bytes)})`;
  const none = 'Nothing has expired.';
  const text = dry_run ? `Would let go ${what}. Nothing was changed.` : `Let go ${what}.`;
  context.print({ data: done, text: expired === 0 && freed_bytes === 0 ? none : text });
}
