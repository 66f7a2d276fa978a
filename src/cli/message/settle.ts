/** `aos ack` and `aos nack`. */
import type { Command } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';

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

/** An id, or enough of its beginning. What is none would be another path at the daemon. */
export function messageIdOf(typed: string): string {
  if (/^[0-9a-f]{4,32}$/.test(typed)) return typed;
  throw new AosError('usage.bad-value', {
    message: `${quote(typed.slice(0, 100))} is no id of a message, nor the beginning of one`,
    fix: 'Give at least four of its hex digits, as "aos send" and "aos inbox" show them',
  });
}
