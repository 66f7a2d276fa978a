/** `aos channel`: who is in which channel. */
import type { Command } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { AosError } from '../../kernel/errors.ts';
import { checkChannel } from '../../kernel/message/message.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table } from '../core/words.ts';

// An unquoted "#" begins a comment in a shell, so it may be left out.
const channelWord = 'the channel; the "#" may be left out, and needs quotes';

export function defineChannel(command: Command, context: Context): void {
  command
    .command('join')
    .description('let an agent get what is sent to a channel')
    .argument('<channel>', channelWord)
    .argument('[agent]', 'who joins (AOS_AGENT)')
    .addHelpText('after', '\nExample:\n  aos channel join news jean')
    .action((channel: string, agent: string | undefined) => join(context, channel, agent));
  command
    .command('leave')
    .description('let an agent get it no more')
    .argument('<channel>', channelWord)
    .argument('[agent]', 'who leaves (AOS_AGENT)')
    .addHelpText('after', '\nExample:\n  aos channel leave news jean')
    .action((channel: string, agent: string | undefined) => leave(context, channel, agent));
  command
    .command('ls')
    .description('list the channels and who has joined them')
    .addHelpText('after', '\nExample:\n  aos channel ls')
    .action(() => list(context));
}

async function join(context: Context, typed: string, given: string | undefined): Promise<void> {
  const channel = channelOf(typed);
  const agent = agentNamed(context, given);
  const answer = await withHome(context, { holder: 'aos channel' }, (client) =>
    client.joinChannel(channel, agent, { signal: context.signal }),
  );
  const text = `${answer.agent} ${answer.joined ? 'has joined' : 'had joined'} ${channel}${answer.joined ? '' : ' before'}.`;
  context.print({ data: answer, text });
}

async function leave(context: Context, typed: string, given: string | undefined): Promise<void> {
  const channel = channelOf(typed);
  const agent = agentNamed(context, given);
  const answer = await withHome(context, { holder: 'aos channel' }, (client) =>
    client.leaveChannel(channel, agent, { signal: context.signal }),
  );
  const text = `${answer.agent} ${answer.left ? 'has left' : 'was not in'} ${channel}.`;
  context.print({ data: answer, text });
}

async function list(context: Context): Promise<void> {
  const answer = await withHome(context, { holder: 'aos channel' }, (client) =>
    client.channels({ signal: context.signal }),
  );
  const rows = answer.items.map(({ channel, agents }) => [channel, agents.join(', ')]);
  context.print({
    data: answer,
    text: rows.length === 0 ? 'Nobody has joined a channel.' : table(rows),
  });
}

function channelOf(typed: string): string {
  const channel = typed.startsWith('#') ? typed : `#${typed}`;
  checkChannel(channel);
  return channel;
}

function agentNamed({ environment }: Context, given: string | undefined): string {
  const agent = given ?? agentOf(environment);
  if (agent !== undefined) return agent;
  throw new AosError('usage.missing-argument', {
    message: 'Only an agent can be in a channel, and none is named',
    fix: 'aos channel join news jean',
  });
}
