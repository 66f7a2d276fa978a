/** `aos why`: what became of a message. */
import type { Command } from 'commander';
import type { WireHistory } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, counted, table } from '../core/words.ts';
import { messageIdOf } from './settle.ts';

export function defineWhy(command: Command, context: Context): void {
  command
    .argument('<id>', 'the message, by its id or the beginning of it')
    .addHelpText(
      'after',
      '\nTells the whole path of a message: every step with its time, and where each recipient is.\n\nExamples:\n  aos why 018d3e4b\n  aos why 018d3e4b --json',
    )
    .action(async (typed: string) => {
      const id = messageIdOf(typed);
      const history = await withHome(context, { holder: 'aos why' }, (client) =>
        client.message(id, { signal: context.signal }),
      );
      context.print({ data: history, text: historyText(history) });
    });
}

function historyText(history: WireHistory): string {
  const { id, from, to, kind, size_bytes, source_name, thread, re, error } = history;
  const facts = [
    ['message', id],
    ['from', from],
    ['to', to],
    ['kind', `${kind}, ${bytesWords(size_bytes)}`],
    ...(thread === null ? [] : [['thread', thread]]),
    ...(re === null ? [] : [['answers', re]]),
    ...(source_name === null ? [] : [['file', `${source_name}.msg`]]),
    ...(error === null ? [] : [['refused', error]]),
  ];
  const steps = history.steps.map(({ at, what }) => [at, oneLine(what)]);
  return [
    table(facts.map((row) => row.map(oneLine))),
    ...(steps.length === 0 ? [] : ['', table(steps)]),
    ...(history.deliveries.length === 0 ? [] : ['', table(history.deliveries.map(deliveryRow))]),
  ].join('\n');
}

function deliveryRow(delivery: WireHistory['deliveries'][number]): string[] {
  const { recipient, state, attempts, via, error } = delivery;
  const how = via === null ? '' : `, by ${via}`;
  const why = error === null ? '' : `: ${error}`;
  return [recipient, state, oneLine(`${counted(attempts, 'attempt')}${how}${why}`)];
}
