/** `aos transfer`, and the same as a program of its own: `agent-transfer`. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { defineTransferDownload } from './transfer-download.ts';
import { defineTransferInit } from './transfer-init.ts';
import { defineTransferLinks } from './transfer-links.ts';
import { defineTransferLists } from './transfer-list.ts';
import { defineTransferMetrics } from './transfer-metrics.ts';
import { defineTransferSend } from './transfer-send.ts';
import { defineTransferSettling } from './transfer-settle.ts';
import { defineTransferWatch } from './transfer-watch.ts';

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
