/** `aos memory store`: a value from the command line, from stdin or from a file. */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { durationOf, textOf } from '../core/input.ts';
import { repeated } from '../core/words.ts';
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

interface StoreOptions extends MemoryAs, WhoseOptions {
  readonly jsonValue?: true;
  readonly tag?: readonly string[];
  readonly thread?: string;
  readonly ttl?: string;
  readonly pin?: true;
  readonly validFrom?: string;
  readonly validTo?: string;
}

export function defineMemoryStore(group: Command, context: Context): void {
  const command = memoryVerb(group, 'store', 'remember something under a key')
    .argument('<key>', 'such as plan or projects/house/plan')
    .argument('[value]', 'what to remember; "-", or nothing, reads what is piped in')
    .option('--json-value', 'the value is JSON, and no text')
    .option('--tag <tag>', 'a word to find it by (may be repeated)', repeated)
    .option('--thread <name>', 'the conversation that it is a part of')
    .option('--ttl <time>', 'forget it after that time, as 12h or 30d')
    .option('--pin', 'tell it to a model before everything else')
    .option('--valid-from <moment>', 'since when it is so: 2h ago, or a date (now)')
    .option('--valid-to <moment>', 'until when it was so')
    .addHelpText(
      'after',
      '\nWhat was there before is kept as a version. The same value again makes none.\n\nExamples:\n  aos memory store house/door "The door is green." --scope long-term --tag house\n  aos memory store limits \'{"mails": 5}\' --json-value --ttl 30d\n  cat notes.md | aos memory store notes/today -',
    );
  whoseOptions(command).action((key: string, value: string | undefined, options: StoreOptions) =>
    store(context, { key, value }, options),
  );
}

async function store(
  context: Context,
  typed: { readonly key: string; readonly value: string | undefined },
  options: StoreOptions,
): Promise<void> {
  const { tag, thread, ttl, pin } = options;
  const request = {
    ...{ ...whose(options), key: keyOf(typed.key), tags: tag && [...tag], thread, pin },
    ...{ valid_from: momentOf(options.validFrom), valid_to: momentOf(options.validTo) },
    ttl_seconds: ttl === undefined ? undefined : Math.ceil(durationOf('--ttl', ttl) / 1000),
    value: await valueIn(context, typed.value, options),
  };
  const stored = await withMemory(context, options, (client, acting) =>
    client.storeMemory(request, acting),
  );
  const where = `${quote(typed.key)} in ${whoseWords({ scope: stored.scope, of: options.of })}`;
  const text = stored.stored
    ? `Stored ${where}, version ${stored.version}.`
    : `${where} says that already (version ${stored.version}).`;
  context.print({ data: stored, text });
}

// The daemon says how much a value may have; JSON takes less room there than as it is written.
const mostBytes = 4 * 1024 * 1024;

async function valueIn(
  { terminal: { input } }: Context,
  given: string | undefined,
  { jsonValue }: StoreOptions,
): Promise<unknown> {
  if (given === undefined && input.isTerminal) throw noValue();
  const isPiped = given === undefined || given === '-';
  const text = isPiped
    ? await textOf(input.read(), { what: 'What was piped in', mostBytes })
    : given;
  // Where no person types, a value that was forgotten looks like one that is empty.
  if (given === undefined && text === '') throw noValue();
  return jsonValue === true ? parsed(text) : text;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // What is nested too deeply can be read and not be sent.
    JSON.stringify(value);
    return value;
  } catch (failure) {
    if (failure instanceof RangeError) throw tooDeep();
    throw new AosError('usage.bad-value', {
      message: `The value is no JSON: ${quote(text.slice(0, 100))}`,
      fix: 'Leave --json-value out to store it as a text',
    });
  }
}

function tooDeep(): AosError {
  return new AosError('usage.bad-value', {
    message: 'The value is nested too deeply',
    fix: 'Leave --json-value out to store it as a text',
  });
}

function noValue(): AosError {
  return new AosError('usage.missing-argument', {
    message: 'There is nothing to remember',
    fix: 'Give it behind the key, or pipe it in; "-" reads what you type until Ctrl-D',
  });
}
