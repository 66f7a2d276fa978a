/** `aos transfer`, and the same as a program of its own: `agent-transfer`. */
import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { counted, table } from '../core/words.ts';
import { defineTransferDownload } from './download.ts';
import { defineTransferInit } from './init.ts';
import { defineTransferLinks } from './links.ts';
import { defineTransferLists } from './list.ts';
import { defineTransferSend } from './send.ts';
import { defineTransferSettling } from './settle.ts';
import { type TransferAs, transferVerb, withTransfers } from './verb.ts';
import { defineTransferWatch } from './watch.ts';

export function defineTransfer(command: Command, context: Context): void {
  defineTransferSend(command, context);
  defineTransferLists(command, context);
  defineTransferDownload(command, context);
  defineTransferWatch(command, context);
  defineTransferSettling(command, context);
  defineTransferLinks(command, context);
  defineTransferMetrics(command, context);
  defineTransferInit(command, context);
}

interface MetricsOptions extends TransferAs {
  readonly days: string;
}

function defineTransferMetrics(group: Command, context: Context): void {
  transferVerb(group, 'metrics', 'show volume, number, average size, failures and storage')
    .option('--days <n>', 'over so many days', '30')
    .addHelpText(
      'after',
      '\nExamples:\n  agent-transfer metrics\n  agent-transfer metrics --days 7 --json',
    )
    .action((options: MetricsOptions) => metrics(context, options));
}

async function metrics(context: Context, options: MetricsOptions): Promise<void> {
  const days = numberOf('--days', options.days, { least: 1, most: 365 });
  const found = await withTransfers(context, options, (client, who) =>
    client.transferMetrics({ ...who, days }, { signal: context.signal }),
  );
  context.print({ data: found, text: metricsText(found) });
}

function metricsText(found: Answer<'transferMetrics'>): string {
  const { storage_bytes, quota_bytes } = found;
  const share = quota_bytes === 0 ? '' : `, ${Math.round((100 * storage_bytes) / quota_bytes)} %`;
  const totals = [
    ['transfers', String(found.count)],
    ['volume', sizeText(found.bytes)],
    ['average', sizeText(found.average_bytes)],
    ['failed', String(found.failed)],
    ['saved', sizeText(found.saved_bytes)],
    ['storage', `${sizeText(storage_bytes)} of ${sizeText(quota_bytes)}${share}`],
  ];
  const days = found.days.map(({ day, count, bytes, failed }) => [
    day,
    counted(count, 'transfer'),
    sizeText(bytes),
    failed === 0 ? '' : `${failed} failed`,
  ]);
  const parts = [table(totals), ...(days.length === 0 ? [] : [table(days)])];
  return parts.join('\n\n').replaceAll(/ +$/gm, '');
}
