/** `aos memory purge`: what is erased for good is counted first, and asked for. */
import type { Command } from 'commander';
import type { Answer, Body } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { checkMemoryKey } from '../../kernel/memory/memory.ts';
import { quote } from '../../kernel/text/quote.ts';
import { confirm } from '../core/confirm.ts';
import type { Context } from '../core/context.ts';
import { counted } from '../core/words.ts';
import { noMemory } from './get.ts';
import { type WhoseOptions, whose, whoseOptions, whoseWords, withMemory } from './verb.ts';

interface PurgeOptions extends WhoseOptions {
  readonly below?: true;
  readonly all?: true;
  readonly yes?: true;
  readonly dryRun?: true;
}

export function defineMemoryPurge(group: Command, context: Context): void {
  const command = group
    .command('purge')
    .description('erase memories for good, every version of them')
    .argument('[key]', 'such as projects/house/plan; projects/ is all that lies below')
    .option('--below', 'also all that lies below the key')
    .option('--all', 'everything in the scope, and no key')
    .option('--dry-run', 'only say what would be erased')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .addHelpText(
      'after',
      '\nErased are the versions, what the search index knows of them, and the journals of the calls\nand operations that have seen them; those of an operation that still runs when it is over.\nWhat was written elsewhere is left alone: mail, files, copies that were stored under another key,\nand backups that were made before.\n\nExamples:\n  aos memory purge house/door --scope long-term\n  aos memory purge customers/ --of jean --scope long-term --yes',
    );
  whoseOptions(command).action((key: string | undefined, options: PurgeOptions) =>
    purge(context, requestOf(key, options), {
      ...options,
      json: command.optsWithGlobals()['json'] === true,
    }),
  );
}

type PurgeRequest = Body<'purgeMemory'>;

function requestOf(typed: string | undefined, options: PurgeOptions): PurgeRequest {
  const { scope = 'working', of } = whose(options);
  if ((options.all === true) === (typed !== undefined)) throw keyOrAll();
  if (typed === undefined) return { scope, of, below: true };
  const key = typed.replace(/\/$/, '');
  checkMemoryKey(key);
  return { scope, of, key, below: options.below === true || typed.endsWith('/') };
}

interface Manner extends PurgeOptions {
  readonly json: boolean;
}

async function purge(context: Context, request: PurgeRequest, options: Manner): Promise<void> {
  const send = (body: PurgeRequest) =>
    withMemory(context, {}, (client, { signal }) => client.purgeMemory(body, { signal }));
  const would = await send({ ...request, dry_run: true });
  const { versions, operations = 0, calls = 0 } = would;
  if (versions + operations + calls === 0) {
    if (options.yes !== true || options.dryRun === true) throw nothingThere(request);
    // One that was cut off may have left something in files.
    const late = await send(request);
    if (late.versions === 0) throw nothingThere(request);
    return context.print({ data: late, text: doneText(late, request) });
  }
  if (options.dryRun === true) {
    return context.print({ data: would, text: `Would erase ${amount(would, request)}.` });
  }
  // Between the two: without a daemon, a question would keep the home from every other caller.
  await askFirst(context, { would, request }, options);
  const done = await send(request);
  context.print({ data: done, text: doneText(done, request) });
}

function nothingThere({ key, ...where }: PurgeRequest): AosError {
  if (key !== undefined) return noMemory({ ...where, key });
  return new AosError('memory.unknown', {
    message: `Nothing is remembered in ${whoseWords(where)}`,
    fix: '--scope says where to look, --of in whose memory',
  });
}

/** `3 versions of "house" in long-term of jean, and the journals of 2 calls that saw them` */
function amount(
  { versions, operations = 0, calls = 0 }: Answer<'purgeMemory'>,
  request: PurgeRequest,
) {
  const what = `${counted(versions, 'version')} of ${targetWords(request)}`;
  const journals = [
    ...(operations === 0 ? [] : [counted(operations, 'operation')]),
    ...(calls === 0 ? [] : [counted(calls, 'call')]),
  ];
  if (journals.length === 0) return what;
  return `${what}, and the journals of ${journals.join(' and ')} that saw them`;
}

function targetWords({ scope, of, key, below }: PurgeRequest): string {
  const where = whoseWords({ scope, of });
  if (key === undefined) return `everything in ${where}`;
  return `${quote(key)}${below ? ' and all that lies below it' : ''} in ${where}`;
}

/** Throws unless the person says yes. */
async function askFirst(
  context: Context,
  { would, request }: { readonly would: Answer<'purgeMemory'>; readonly request: PurgeRequest },
  { yes, json }: Manner,
): Promise<void> {
  if (yes === true) return;
  // What is printed for a program is not read by a person who could answer.
  const isTerminal = context.terminal.input.isTerminal && !json;
  const question = `Erase ${amount(would, request)}, for good?\n${would.note}.`;
  if (isTerminal && (await confirm(context, question))) return;
  const why = isTerminal ? 'the answer was no' : 'nobody is at a terminal to be asked';
  throw new AosError('memory.kept', {
    message: `Nothing was erased: ${why}`,
    fix: `The same command with --yes erases ${amount(would, request)}`,
    details: would,
  });
}

function doneText({ versions, later, note }: Answer<'purgeMemory'>, request: PurgeRequest): string {
  const lines = [`Erased ${counted(versions, 'version')} of ${targetWords(request)}.`];
  if (later.length > 0) {
    lines.push(`These have seen it and still run; theirs goes when they end: ${later.join(', ')}`);
  }
  return [...lines, `${note}.`].join('\n');
}

function keyOrAll(): AosError {
  return new AosError('usage.missing-argument', {
    message: '"aos memory purge" needs a key, or --all and no key',
    fix: 'aos memory list',
  });
}
