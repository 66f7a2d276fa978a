/** `aos approvals`: what waits for a human, and the answers. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireApproval } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { endAfter, endWords } from '../core/call-end.ts';
import { confirm } from '../core/confirm.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { groupCommand } from '../core/group-command.ts';
import { approvalIds, idOf, shortIds } from '../core/names.ts';
import { durationWords, table } from '../core/words.ts';

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

interface ApproveOptions {
  readonly always?: true;
  readonly hash?: string;
  readonly yes?: true;
}

const idWord = 'the approval, by its id or the beginning of it';

function defineApprove(command: Command, context: Context): void {
  command
    .description('let a call go on that waits')
    .argument('<id>', idWord)
    .option('--always', 'give the agent a grant, so that the same is not asked again')
    .option('--hash <hash>', 'only if this is the hash of what is shown')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .addHelpText(
      'after',
      '\nShows what is approved, asks once, and lets the call go on. Without a terminal it does\nso only with --yes.\n\nExamples:\n  aos approvals approve 018d3e4b7a10\n  aos approvals approve 018d3e4b7a10 --always --yes',
    )
    .action((typed: string, options: ApproveOptions) => approve(context, typed, options));
}

function defineDeny(command: Command, context: Context): void {
  command
    .description('end a call that waits, and tell whoever made it why')
    .argument('<id>', idWord)
    .requiredOption('--reason <text>', 'why, for whoever made the call')
    .addHelpText(
      'after',
      '\nExample:\n  aos approvals deny 018d3e4b7a10 --reason "not on a Friday"',
    )
    .action((typed: string, { reason }: { reason: string }) => deny(context, typed, reason));
}

async function approve(context: Context, typed: string, options: ApproveOptions): Promise<void> {
  const id = idOf(approvalIds, typed);
  const { signal } = context;
  const use = { holder: 'aos approvals approve' };
  const asked = await withHome(context, use, (client) => client.approval(id, { signal }));
  // Between the two: without a daemon, a question would keep the home from every other caller.
  await askFirst(context, asked, options);
  const scope = options.always === true ? 'always' : 'once';
  const verdict = { hash: options.hash ?? asked.hash, scope } as const;
  const { answer, call } = await withHome(context, use, (client) =>
    endAfter(context, client, () => client.approve(asked.id, verdict, { signal })),
  );
  const text = `Approved ${answer.scope}. The call ${call.call_id} of ${call.tool} ${endWords(call)}.`;
  context.print({ data: answer, text: oneLine(text) });
}

/** Throws unless the person says yes to what was shown. */
async function askFirst(
  context: Context,
  asked: WireApproval,
  { always, yes }: ApproveOptions,
): Promise<void> {
  // It cannot wait again: the daemon refuses the answer, and says why.
  if (asked.state !== 'waiting') return;
  const { terminal } = context;
  const isAsked = terminal.input.isTerminal && yes !== true;
  if (!isAsked && yes !== true) throw nobodyToAsk(asked);
  terminal.err(`${printable(asked.shown)}\nHASH: ${asked.hash}\n`);
  if (!isAsked) return;
  const question =
    always === true
      ? `Approve always? The call goes on, and ${oneLine(asked.agent)} gets a grant for what it wants here, so that it is not asked again.`
      : 'Approve once? The call goes on, as it is shown.';
  if (await confirm(context, question)) return;
  throw new AosError('approval.needed', {
    message: `Nothing was approved; approval ${asked.id} still waits`,
    fix: `aos approvals deny ${asked.id} --reason WHY`,
  });
}

function nobodyToAsk({ id }: WireApproval): AosError {
  return new AosError('approval.needed', {
    message: `Nobody is at a terminal to be asked, so that approval ${id} still waits`,
    fix: `Look at it with "aos approvals show ${id}", then: aos approvals approve ${id} --yes`,
  });
}

async function deny(context: Context, typed: string, reason: string): Promise<void> {
  const id = idOf(approvalIds, typed);
  const denied = await withHome(context, { holder: 'aos approvals deny' }, (client) =>
    denyShown(client, { id, reason }, context.signal),
  );
  const text = `Denied. ${denied.agent} is told why its call ${denied.call_id} of ${denied.tool} is over.`;
  context.print({ data: denied, text: oneLine(text) });
}

async function denyShown(
  client: Client,
  { id, reason }: { readonly id: string; readonly reason: string },
  signal: AbortSignal,
): Promise<WireApproval> {
  const { id: whole, hash } = await client.approval(id, { signal });
  return client.deny(whole, { hash, reason }, { signal });
}
