/** `aos memory pin` and `aos memory forget`. */
import type { Command } from 'commander';
import { quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import {
  keyOf,
  type MemoryAs,
  memoryVerb,
  type WhoseOptions,
  whose,
  whoseOptions,
  whoseWords,
  withMemory,
} from './verb.ts';

type MarkOptions = MemoryAs & WhoseOptions;

interface PinOptions extends MarkOptions {
  readonly off?: true;
}

export function defineMemoryMarks(group: Command, context: Context): void {
  const pin = memoryVerb(group, 'pin', 'have a memory told to a model before all others')
    .argument('<key>', 'such as projects/house/plan')
    .option('--off', 'no longer')
    .addHelpText(
      'after',
      '\nWhat is pinned is told whenever its agent begins, as far as memoryTokens goes.\n\nExample:\n  aos memory pin house/rules --of jean --scope long-term',
    );
  whoseOptions(pin).action((key: string, options: PinOptions) => setPin(context, key, options));
  const forget = memoryVerb(group, 'forget', 'have nobody told of a memory any more')
    .argument('<key>', 'such as projects/house/plan')
    .addHelpText(
      'after',
      '\nIts versions stay on disk, where nobody is shown them: "aos memory purge" erases them.\n\nExample:\n  aos memory forget house/door --scope long-term',
    );
  whoseOptions(forget).action((key: string, options: MarkOptions) =>
    forgetKey(context, key, options),
  );
}

async function setPin(context: Context, key: string, options: PinOptions): Promise<void> {
  const wanted = { ...whose(options), key: keyOf(key), pinned: options.off !== true };
  const done = await withMemory(context, options, (client, acting) =>
    client.pinMemory(wanted, acting),
  );
  const state = done.pinned ? 'is pinned' : 'is not pinned any more';
  const place = whoseWords({ scope: done.scope, of: options.of });
  context.print({ data: done, text: `${quote(key)} in ${place} ${state}.` });
}

async function forgetKey(context: Context, key: string, options: MarkOptions): Promise<void> {
  const place = { ...whose(options), key: keyOf(key) };
  const done = await withMemory(context, options, (client, acting) =>
    client.forgetMemory(place, acting),
  );
  const words = `${quote(key)} in ${whoseWords(place)} is forgotten.`;
  context.print({ data: done, text: `${words} To erase it for good: aos memory purge` });
}
