import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, table } from '../core/words.ts';
import { withMemory } from './verb.ts';

export function defineMemoryState(group: Command, context: Context): void {
  group
    .command('state')
    .description('say what the search index knows, and how far the embedder has got')
    .addHelpText('after', '\nExample:\n  aos memory state')
    .action(async () => {
      const state = await withMemory(context, {}, (client, { signal }) =>
        client.memoryState({ signal }),
      );
      context.print({ data: state, text: stateText(state) });
    });
}

function stateText({ memories, vectors, bytes, ...state }: Answer<'memoryState'>): string {
  const { done, total } = state.embedding ?? { done: vectors, total: memories };
  const meaning =
    state.embedder === 'none'
      ? 'none; memories are found by their words'
      : `${oneLine(state.embedder)}, ${done} of ${total} embedded`;
  return table([
    ['memories', String(memories)],
    ['index', bytesWords(bytes)],
    ['embedder', meaning],
  ]);
}
