import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { WireApproval } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { groupCommand } from '../core/group-command.ts';
import { approvalIds, idOf, shortIds } from '../core/id-word.ts';
import { table } from '../core/table.ts';
import { durationWords } from '../core/words.ts';
import { defineApprove, defineDeny } from './approvals-answer.ts';

export function defineApprovals(command: Command, context: Context): void {
  command
    .option('--all', 'those that were answered too')
    .addHelpText(
      'after',
      '\nLists what waits for a human. What is shown is what is approved: an answer is bound to it.\n\nExamples:\n  aos approvals\n  aos approvals show 018d3e4b7a10\n  aos approvals approve 018d3e4b7a10\n  aos approvals deny 018d3e4b7a10 --reason "not on a Friday"',
    )
    .action(({ all }: { all?: true }) => list(context, all));
  groupCommand(command, 'show')
    .description('show the whole of what waits')
    .argument('<id>', 'the approval, by its id or the beginning of it')
    .addHelpText('after', '\nExample:\n  aos approvals show 018d3e4b7a10')
    .action((typed: string) => show(context, typed));
  defineApprove(groupCommand(command, 'approve'), context);
  defineDeny(groupCommand(command, 'deny'), context);
}

async function list(context: Context, all?: true): Promise<void> {
  const query = { all: all === true ? ('true' as const) : undefined, limit: '1000' };
  const found = await withHome(context, { holder: 'aos approvals' }, (client) =>
    client.approvals(query, { signal: context.signal }),
  );
  const now = composeEngines().clock.now();
  const shortOf = shortIds(found.items.map(({ id }) => id));
  const rows = found.items.map((one) => [
    shortOf(one.id),
    one.agent,
    one.tool,
    `asked ${durationWords(Math.max(0, now - Date.parse(one.asked_at)))} ago`,
    stateWords(one, now),
    oneLine(one.reason),
  ]);
  const text = rows.length === 0 ? 'Nothing waits for an approval.' : table(rows);
  context.print({ data: found, text });
}

async function show(context: Context, typed: string): Promise<void> {
  const id = idOf(approvalIds, typed);
  const approval = await withHome(context, { holder: 'aos approvals show' }, (client) =>
    client.approval(id, { signal: context.signal }),
  );
  const state = stateWords(approval, composeEngines().clock.now());
  const head = `Approval ${approval.id}, ${state}`;
  const text = `${head}\n\n${printable(approval.shown)}\nHASH: ${approval.hash}`;
  context.print({ data: approval, text });
}

function stateWords(approval: Omit<WireApproval, 'shown'>, now: Instant): string {
  const { state, scope, expires_at, answered_by, answer } = approval;
  if (state === 'waiting') {
    const leftMs = Date.parse(expires_at) - now;
    return leftMs > 0 ? `expires in ${durationWords(leftMs)}` : 'expired';
  }
  if (state === 'expired') return state;
  const how = scope === null ? '' : ` ${scope}`;
  const why = answer === null ? '' : `: ${answer}`;
  return oneLine(`${state}${how} by ${answered_by}${why}`);
}
