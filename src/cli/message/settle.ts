import type { Command } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { messageIdOf } from './message-id-word.ts';

interface SettleOptions {
  readonly as?: string;
}

/** `aos ack`. */
export function defineAck(command: Command, context: Context): void {
  command
    .argument('<id>', 'the message, by its id or the beginning of it')
    .argument('[text]', 'something for its sender')
    .option('--as <agent>', 'the agent that got it (AOS_AGENT, else owner)')
    .addHelpText(
      'after',
      '\nSays that what the message asked for is done. Its sender gets an ack.\n\nExamples:\n  aos ack 018d3e4b\n  aos ack 018d3e4b "It is built" --as jean',
    )
    .action(async (typed: string, text: string | undefined, options: SettleOptions) => {
      const id = messageIdOf(typed);
      const as = options.as ?? agentOf(context.environment);
      const settled = await withHome(context, { holder: 'aos ack' }, (client) =>
        client.ack(id, { as, body: text }, { signal: context.signal }),
      );
      tell(context, settled);
    });
}

/** `aos nack`. */
export function defineNack(command: Command, context: Context): void {
  command
    .argument('<id>', 'the message, by its id or the beginning of it')
    .argument('<reason>', 'why not, for its sender')
    .option('--as <agent>', 'the agent that got it (AOS_AGENT, else owner)')
    .addHelpText(
      'after',
      '\nSays that what the message asked for will not be done. Its sender gets a nack.\n\nExample:\n  aos nack 018d3e4b "There is no such branch" --as jean',
    )
    .action(async (typed: string, reason: string, options: SettleOptions) => {
      const id = messageIdOf(typed);
      const as = options.as ?? agentOf(context.environment);
      const settled = await withHome(context, { holder: 'aos nack' }, (client) =>
        client.nack(id, { as, reason }, { signal: context.signal }),
      );
      tell(context, settled);
    });
}

function tell(context: Context, settled: Answer<'ack'>): void {
  const { id, state, answer } = settled;
  const text = `Message ${id} is ${state}; its sender is told by message ${answer}.`;
  context.print({ data: settled, text });
}
