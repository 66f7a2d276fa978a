/** `aos memory get`. */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import { printable, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import {
  keyOf,
  type MemoryAs,
  memoryVerb,
  momentOf,
  type WhoseOptions,
  whose,
  whoseOptions,
  whoseWords,
  withMemory,
} from './verb.ts';

interface GetOptions extends MemoryAs, WhoseOptions {
  readonly asOf?: string;
}

export function defineMemoryGet(group: Command, context: Context): void {
  const command = memoryVerb(group, 'get', 'print what was stored under a key')
    .argument('<key>', 'such as projects/house/plan')
    .option('--as-of <moment>', 'what was so then: 2h ago, or a date')
    .addHelpText(
      'after',
      '\nPrints the value and nothing else: a text as it is, all else as JSON. Exit code 4 where\nthere is none. With --json everything that is known of it.\n\nExamples:\n  aos memory get house/door --scope long-term\n  aos memory get house/door --scope long-term --as-of 2026-05-01',
    );
  whoseOptions(command).action((key: string, options: GetOptions) =>
    get(context, { key, json: command.optsWithGlobals()['json'] === true }, options),
  );
}

async function get(
  context: Context,
  typed: { readonly key: string; readonly json: boolean },
  options: GetOptions,
): Promise<void> {
  const place = { ...whose(options), key: keyOf(typed.key) };
  const found = await withMemory(context, options, (client, acting) =>
    client.getMemory({ ...place, as_of: momentOf(options.asOf) }, acting),
  );
  if (!found.found) throw noMemory(place);
  if (typed.json) return context.print({ data: found, text: '' });
  await printValue(context, found.value);
}

/** A text goes into a pipe or a file as it is; a terminal gets nothing that could move its cursor. */
async function printValue({ terminal, print }: Context, value: unknown): Promise<void> {
  if (typeof value !== 'string') {
    return print({ data: value, text: printable(JSON.stringify(value, undefined, 2)) });
  }
  if (terminal.rawOut !== undefined) return await terminal.rawOut(Buffer.from(value));
  print({ data: value, text: printable(value.replace(/\n$/, '')) });
}

export function noMemory(place: WhoseOptions & { readonly key: string }): AosError {
  return new AosError('memory.unknown', {
    message: `There is no memory ${quote(place.key)} in ${whoseWords(place)}`,
    fix: 'aos memory list; --scope says where to look, --of in whose memory',
  });
}
