/** `aos files "SENTENCE"`: what it means is said first, then done as the same request would be. */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import type { FileAction, FileRequest } from '../../kernel/files/request.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import type { Context } from '../core/context.ts';
import { isOwner, type UnderstoodSentence, understand } from './call.ts';
import { type ChangeOptions, change } from './change.ts';
import { look } from './look.ts';
import { currentFolder } from './path.ts';

const changes: ReadonlySet<FileAction> = new Set([
  ...(['write_file', 'move_file', 'rename_file', 'copy_file', 'delete_file'] as const),
]);

interface Said {
  readonly group: Command;
  readonly words: readonly string[];
  readonly json: boolean;
}

export async function doSentence(
  context: Context,
  { group, words, json }: Said,
  options: ChangeOptions,
): Promise<void> {
  const sentence = sentenceOf(group, words);
  const found = await understand(context, options, { sentence, here: currentFolder() });
  if (!json) tellReading(context, found);
  if (found.kind !== 'understood') throw refusalOf(found);
  const { request } = found;
  const also = {
    understood: { reading: found.reading, request, unused: found.unused, by: found.by },
  };
  if (!changes.has(request.action)) {
    return look(context, { request: withDryRun(request, options), also, json }, options);
  }
  // What was made of a sentence may be something else than was meant.
  const asks = isOwner(context, options) ? { confirm_required: true } : {};
  const asked = { ...request, options: { ...request.options, ...asks } };
  // "What would happen if …" is a dry run by its words.
  const isDry = request.options?.dry_run === true;
  const how = isDry ? { ...options, dryRun: true as const } : options;
  return change(context, { request: asked, also, json }, how);
}

/** One word is no sentence, but an action that was mistyped. */
function sentenceOf(group: Command, words: readonly string[]): string {
  const sentence = words.join(' ').trim();
  if (words.length === 0) group.help();
  if (/\s/.test(sentence)) return sentence;
  const names = group.commands.map((command) => command.name());
  if (names.includes(sentence)) throw afterOptions(sentence);
  throw new AosError('usage.unknown-command', {
    message: `There is no command ${quote(sentence)}, and it is no sentence.${didYouMean(sentence, names)}`,
    fix: 'aos files --help',
  });
}

function afterOptions(name: string): AosError {
  return new AosError('usage.unknown-command', {
    message: `The command ${quote(name)} stands before its options`,
    fix: `aos files ${name} --help`,
  });
}

function tellReading(
  { terminal }: Context,
  { kind, reading, unused, by }: UnderstoodSentence,
): void {
  if (kind === 'refused') return;
  const how = by === 'model' ? ' (by a model)' : '';
  terminal.err(`Reading${how}: ${oneLine(reading)}\n`);
  if (unused.length === 0) return;
  terminal.err(`Nothing was made of: ${unused.map((word) => quote(word)).join(', ')}\n`);
}

function refusalOf(found: Exclude<UnderstoodSentence, { kind: 'understood' }>): AosError {
  if (found.kind === 'asks-back') {
    return new AosError('files.not-understood', {
      message: found.question,
      fix: 'Say it in other words; "aos files --help" shows some',
      details: found,
    });
  }
  const agent =
    found.agent === undefined
      ? {}
      : { fix: `Ask ${found.agent}, once there is an agent of that name` };
  return new AosError('files.out-of-scope', { message: found.message, ...agent, details: found });
}

function withDryRun(request: FileRequest, { dryRun }: ChangeOptions): FileRequest {
  return dryRun === true ? { ...request, options: { ...request.options, dry_run: true } } : request;
}
