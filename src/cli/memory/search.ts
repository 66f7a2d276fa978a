import { type Command, Option } from 'commander';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { repeated } from '../core/repeated.ts';
import { foundText, nothingText } from './search-words.ts';
import {
  type AsOption,
  memoryVerb,
  momentOf,
  prefixOf,
  selfOf,
  whose,
  whoseOptions,
  withMemory,
} from './verb.ts';
import type { WhoseOptions } from './words.ts';

interface SearchOptions extends AsOption, WhoseOptions {
  readonly prefix?: string;
  readonly tag?: readonly string[];
  readonly after?: string;
  readonly before?: string;
  readonly limit?: string;
  readonly by?: 'memory' | 'thread';
  readonly explain?: true;
}

export function defineMemorySearch(group: Command, context: Context): void {
  const command = memoryVerb(group, 'search', 'find memories by what they say')
    .argument('<words...>', 'a question, or words')
    .option('--prefix <key>', 'only this key and what lies below it')
    .option('--tag <tag>', 'only with this tag (may be repeated: all of them)', repeated)
    .option('--after <moment>', 'not before: 2h, 7d, or a date')
    .option('--before <moment>', 'before: 2h, 7d, or a date')
    .option('--limit <n>', 'at most so many, up to 50 (10)')
    .addOption(
      new Option('--by <what>', 'thread: the best of each conversation').choices([
        ...['memory', 'thread'],
      ]),
    )
    .option('--explain', 'say what each score is made of')
    .addHelpText(
      'after',
      '\nThe likeliest comes first. "A phrase" in quotes stands together, hous* is the beginning of\na word, and what is said of time, as last week or in May, brings what is of then to the top.\n\nExamples:\n  aos memory search what colour is the door\n  aos memory search \'"green door" paint*\' --scope long-term --of jean --explain',
    );
  whoseOptions(command, 'all of them').action((words: readonly string[], options: SearchOptions) =>
    search(context, words.join(' '), options),
  );
}

const most = { least: 1, most: 50 };

async function search(context: Context, query: string, options: SearchOptions): Promise<void> {
  const { tag, after, before, limit, by } = options;
  const request = {
    ...{ ...whose(options), query, tags: tag && [...tag], by, prefix: prefixOf(options.prefix) },
    ...{ after: momentOf(after), before: momentOf(before) },
    limit: limit === undefined ? undefined : numberOf('--limit', limit, most),
  };
  const found = await withMemory(context, options, (client, acting) =>
    client.searchMemory(request, acting),
  );
  const text =
    found.hits.length === 0
      ? nothingText(request)
      : foundText(found.hits, {
          self: selfOf(context, options),
          explains: options.explain === true,
        });
  context.print({ data: found, text });
  if (found.time !== undefined) {
    context.terminal.err(
      `The question says when (${oneLine(found.time)}): what is of then comes first.\n`,
    );
  }
}
