/** `aos op`: operations, and what came of them. */
import type { Command } from 'commander';
import type { Context } from '../core/context.ts';
import { defineOpArtifacts } from './artifacts.ts';
import { defineOpDownload } from './download.ts';
import { defineOpLists } from './list.ts';
import { defineOpLogs } from './logs.ts';
import { defineOpSubmit } from './submit.ts';

export function defineOp(command: Command, context: Context): void {
  command.addHelpText(
    'after',
    '\nAs the owner, who sees the operations of all. With --as AGENT or --key FILE every request is\nsigned with that key and goes to --url, as an outsider does it: docs/operations.md.\n\nExamples:\n  aos op ls\n  aos op submit "Write the report" --wait\n  aos op download 0199c1f2 --all --dest reports\n  aos op ls --key wallet.key --url https://agents.example.org',
  );
  defineOpSubmit(command, context);
  defineOpLists(command, context);
  defineOpLogs(command, context);
  defineOpArtifacts(command, context);
  defineOpDownload(command, context);
}
