import type { Command } from 'commander';
import type { Answer, WireGrant } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/table.ts';

interface Question {
  readonly agent: string;
  readonly action: string;
  readonly resource: string;
}

/** `aos cap check`. */
export function defineCheck(command: Command, context: Context): void {
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
  question: Question,
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

/** From the grant that allows it up to the one that nobody delegated. */
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
