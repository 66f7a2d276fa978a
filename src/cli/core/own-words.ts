/** What the daemon refuses about a request, in the words of the command that made it. */
import type { Command } from 'commander';
import type { RefusedField } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { AosCommand } from './aos-command.ts';

/** Others as they are. */
export function inOwnWords(thrown: unknown, command: Command | undefined): unknown {
  if (!(thrown instanceof AosError) || !(command instanceof AosCommand)) return thrown;
  const says = sentenceOf(thrown, command);
  if (says === undefined) return thrown;
  return new AosError('usage.bad-value', {
    message: `${quote(command.path)} cannot take ${says}`,
    fix: `${command.path} --help`,
    cause: thrown,
  });
}

function sentenceOf({ code, details }: AosError, command: Command): string | undefined {
  if (code === 'gateway.unknown-route' && hasLongWord(command)) return 'a word that is so long';
  if (code !== 'gateway.bad-request' || !isRefusedField(details)) return undefined;
  return `this ${wordFor(details.field, command)}: it ${details.problem}`;
}

/** One that is part of a path, and longer than a part can be. */
function hasLongWord(command: Command): boolean {
  const words: readonly unknown[] = [...command.args, ...Object.values(command.opts())];
  return words.some((word) => String(word).length > longestPart);
}

const longestPart = 100;

function isRefusedField(details: unknown): details is RefusedField {
  return typeof details === 'object' && details !== null && 'problem' in details;
}

/** `dedup_key` is what `--dedup` says, and `tags.0` the first of what `--tag` says. */
function wordFor(field: string, command: Command): string {
  const [head = ''] = field.split('.');
  const isSaid = (name: string) => [name, `${name}s`].includes(head) || head.startsWith(`${name}_`);
  const argument = command.registeredArguments.find((one) => isSaid(one.name()));
  if (argument !== undefined) return `<${argument.name()}>`;
  const option = command.options.find((one) => isSaid(one.name().replaceAll('-', '_')));
  return option?.long ?? (head.replaceAll('_', ' ') || 'request');
}
