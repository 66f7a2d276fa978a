/** `aos transfer`, and the same as a program of its own: `agent-transfer`. */
import type { Command } from 'commander';
import type { Context } from '../core/context.ts';
import { defineTransferDownload } from './download.ts';
import { defineTransferInit } from './init.ts';
import { defineTransferLinks } from './links.ts';
import { defineTransferLists } from './list.ts';
import { defineTransferMetrics } from './metrics.ts';
import { defineTransferSend } from './send.ts';
import { defineTransferSettling } from './settle.ts';
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
