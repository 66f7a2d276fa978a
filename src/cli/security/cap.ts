/** `aos cap`: grants, delegations, and whether an action is allowed. */
import type { Command } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import type { Answer, WireGrant } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { grantIds, idOf, shortIds } from '../core/names.ts';
import { counted, table, trimLines } from '../core/words.ts';

const capabilityWord = 'as file:/data/*:read or capability://file/data/*?action=read; quote it';

export function defineCap(command: Command, context: Context): void {
  defineGrant(command.command('grant'), context);
  defineDelegate(command.command('delegate'), context);
  defineRevoke(command.command('revoke'), context);
  defineLs(command.command('ls'), context);
  defineCheck(command.command('check'), context);
}

function defineGrant(command: Command, context: Context): void {
  command
    .description('give an agent a capability')
    .argument('<agent>', 'who gets it')
    .argument('<capability>', capabilityWord)
    .option('--ask', 'a human has to approve every use')
    .addHelpText(
      'after',
      "\nExamples:\n  aos cap grant jean 'file:/data/*:read'\n  aos cap grant jean 'http:api.example.com/v1/*:get{rate:100/min}'\n  aos cap grant jean 'file:/data/**:write' --ask",
    )
    .action((agent: string, capability: string, { ask }: { ask?: true }) =>
      grant(context, { agent, capability, ask }),
    );
}

function defineDelegate(command: Command, context: Context): void {
  command
    .description('hand a part of what an agent holds on to another one')
    .argument('<from>', 'whose grant it comes from')
    .argument('<to>', 'who gets it')
    .argument('<capability>', 'not wider than what is handed on')
    .option('--parent <id>', 'from this grant (the first that is wide enough)')
    .addHelpText(
      'after',
      "\nIt ends with the grant that it comes from, and counts against its limits.\n\nExample:\n  aos cap delegate jean sam 'file:/data/reports/*:read'",
    )
    .action((from: string, to: string, capability: string, { parent }: { parent?: string }) =>
      delegate(context, { from, to, capability, parent }),
    );
}

function defineRevoke(command: Command, context: Context): void {
  command
    .description('take a grant back, and all that was delegated from it, at once')
    .argument('<grant>', 'its id; or an agent, and then the capability')
    .argument('[capability]', 'every grant of that agent that says exactly this')
    .addHelpText(
      'after',
      "\nWhat is running by it is ended.\n\nExamples:\n  aos cap revoke 018d3e4b7a10\n  aos cap revoke jean 'file:/data/*:read'",
    )
    .action((first: string, capability: string | undefined) =>
      capability === undefined
        ? revokeOne(context, first)
        : revokeAll(context, { agent: first, capability }),
    );
}

function defineLs(command: Command, context: Context): void {
  command
    .description('list the grants')
    .argument('[agent]', 'only those of this agent')
    .option('--all', 'those that were revoked too')
    .addHelpText('after', '\nExamples:\n  aos cap ls\n  aos cap ls jean --all')
    .action((agent: string | undefined, { all }: { all?: true }) => list(context, agent, all));
}

interface Giving {
  readonly agent: string;
  readonly capability: string;
  readonly ask: true | undefined;
}

async function grant(context: Context, giving: Giving): Promise<void> {
  const given = await withHome(context, { holder: 'aos cap grant' }, (client) =>
    client.grant(giving, { signal: context.signal }),
  );
  const asks = given.asks ? ' A human is asked before each use.' : '';
  context.print({ data: given, text: `${mayNow(given)}.${asks}` });
}

interface Delegating {
  readonly from: string;
  readonly to: string;
  readonly capability: string;
  readonly parent: string | undefined;
}

async function delegate(context: Context, { parent, ...delegating }: Delegating): Promise<void> {
  const delegation = { ...delegating, parent: parent && idOf(grantIds, parent) };
  const given = await withHome(context, { holder: 'aos cap delegate' }, (client) =>
    client.delegate(delegation, { signal: context.signal }),
  );
  const text = `${mayNow(given)}, from grant ${given.parent} of ${delegating.from}.`;
  context.print({ data: given, text: oneLine(text) });
}

function mayNow({ id, agent, capability }: WireGrant): string {
  return oneLine(`${agent} may now ${capability} (grant ${id})`);
}

async function revokeOne(context: Context, typed: string): Promise<void> {
  const id = idOf(grantIds, typed);
  const revoked = await withHome(context, { holder: 'aos cap revoke' }, (client) =>
    client.revoke(id, { signal: context.signal }),
  );
  const { id: whole, agent, capability } = revoked.grant;
  const text = `Grant ${whole} is revoked, by which ${agent} had ${capability}.`;
  context.print({ data: revoked, text: oneLine(text) + belowWords(revoked) });
}

async function revokeAll(
  context: Context,
  which: { readonly agent: string; readonly capability: string },
): Promise<void> {
  const answer = await withHome(context, { holder: 'aos cap revoke' }, (client) =>
    client.revokeCapability(which, { signal: context.signal }),
  );
  const { revoked } = answer;
  // In its one spelling, which may not be what was typed.
  const said = revoked[0]?.capability ?? which.capability;
  const were = revoked.length === 1 ? 'was' : 'were';
  const text = `${counted(revoked.length, 'grant')} of ${which.agent} for ${said} ${were} revoked.`;
  context.print({ data: answer, text: oneLine(text) + belowWords(answer) });
}

function belowWords({ below }: { readonly below: number }): string {
  return below === 0 ? '' : ` ${below} more ended with that, delegated from there.`;
}

async function list(context: Context, agent: string | undefined, all?: true): Promise<void> {
  const query = { agent, all: all === true ? ('true' as const) : undefined };
  const found = await withHome(context, { holder: 'aos cap ls' }, (client) =>
    allGrants(client, query, context.signal),
  );
  const shortOf = shortIds(found.items.map(({ id }) => id));
  const rows = found.items.map((one) => [
    shortOf(one.id),
    one.agent,
    oneLine(one.capability),
    `from ${sourceOf(one)}`,
    stateWords(one),
  ]);
  const none = agent === undefined ? 'There are no grants.' : `${oneLine(agent)} holds no grants.`;
  context.print({ data: found, text: rows.length === 0 ? none : trimLines(table(rows)) });
}

type GrantQuery = Parameters<Client['grants']>[0];

/** Every page of them, as one. */
async function allGrants(
  client: Client,
  query: GrantQuery,
  signal: AbortSignal,
): Promise<Answer<'grants'>> {
  const items: WireGrant[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await client.grants({ ...query, after, limit: '1000' }, { signal });
    items.push(...page.items);
    if (page.next === null) return { items, next: null };
    after = page.next;
  }
}

function sourceOf({ origin, granted_by }: WireGrant): string {
  if (origin === 'default') return 'default';
  return oneLine(granted_by.replace(/^agent:/, ''));
}

function stateWords({ asks, uses, origin, revoked_at }: WireGrant): string {
  return [
    origin === 'approval' ? 'by an approval' : '',
    asks ? 'asks before each use' : '',
    uses === 0 ? '' : `used ${counted(uses, 'time')}`,
    revoked_at === null ? '' : `revoked ${revoked_at}`,
  ]
    .filter((words) => words !== '')
    .join(', ');
}

interface CheckedAction {
  readonly agent: string;
  readonly action: string;
  readonly resource: string;
}

/** `aos cap check`. */
function defineCheck(command: Command, context: Context): void {
  command
    .description('say whether an agent may do something, and why')
    .argument('<agent>', 'who')
    .argument('<action>', 'what, as read, send or get')
    .argument('<resource>', 'to what: as in a capability without its action, or a URL')
    .option('--why', 'tell which grant allows it and who gave it, or what comes nearest')
    .addHelpText(
      'after',
      '\nExit code 3 when it may not. Nothing is counted or recorded by asking.\n\nExamples:\n  aos cap check jean read file:/data/report.txt --why\n  aos cap check jean send message:sam\n  aos cap check jean get https://api.example.com/v1/users --why',
    )
    .action((agent: string, action: string, resource: string, { why }: { why?: true }) =>
      check(context, { agent, action, resource }, { isWhy: why === true }),
    );
}

async function check(
  context: Context,
  question: CheckedAction,
  { isWhy }: { readonly isWhy: boolean },
): Promise<void> {
  const answer = await withHome(context, { holder: 'aos cap check' }, (client) =>
    client.checkGrant(question, { signal: context.signal }),
  );
  const { agent } = question;
  if (!answer.allowed) throw denied(agent, answer, isWhy ? nearWords(answer) : '');
  const asks = answer.asks ? ' once a human has approved it' : '';
  const sentence = oneLine(`${agent} may ${answer.resource}${asks}.`);
  const chain = isWhy ? `\n${chainText(answer.chain)}` : '';
  context.print({ data: answer, text: sentence + chain });
}

function denied(agent: string, answer: Answer<'checkGrant'>, near: string): AosError {
  return new AosError('capability.denied', {
    message: `Agent ${quote(agent)} lacks the capability ${answer.resource}${near}`,
    fix: answer.fix ?? undefined,
    details: answer,
  });
}

/** From the grant that allows it up to the one that was not delegated. */
function chainText(chain: readonly WireGrant[]): string {
  return table(
    chain.map((grant, index) => [
      index === 0 ? '  allowed by' : '  which is from',
      `grant ${grant.id}`,
      oneLine(grant.capability),
      giverWords(grant),
    ]),
  );
}

function giverWords({ agent, granted_by, origin }: WireGrant): string {
  const giver = granted_by.replace(/^agent:/, '');
  const words = {
    default: `${agent} has it by default`,
    owner: `${giver} gave it to ${agent}`,
    delegation: `${giver} delegated it to ${agent}`,
    approval: `${giver} approved it for ${agent} for always`,
  } as const;
  return oneLine(words[origin]);
}

const whyNot = {
  action: 'allows other actions',
  target: 'does not name it, and what may hold secrets or lies on this machine has to be named',
  revoked: 'was revoked, or what it was delegated from',
  expired: 'has expired',
  'used-up': 'is used up',
  paused: 'does not count while its holder is paused',
  asks: 'has a human asked before each use',
} as const;

function nearWords({ nearest }: Answer<'checkGrant'>): string {
  if (nearest === null) return ', and holds nothing that comes near it';
  const { id, capability } = nearest.grant;
  return `. Nearest comes grant ${id} for ${capability} (${giverWords(nearest.grant)}), which ${whyNot[nearest.why]}`;
}
