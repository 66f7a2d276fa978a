/**
 * commander's Command with our manners: what it finds wrong becomes an AosError,
 * told in the same words and with the same exit codes as every other failure.
 */
import { Command, type ErrorOptions, type HelpContext } from 'commander';
import type { RefusedField } from '../../gateway/contract/contract.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';

const codes: Readonly<Record<string, ErrorCode>> = {
  'commander.unknownCommand': 'usage.unknown-command',
  'commander.unknownOption': 'usage.unknown-option',
  'commander.missingArgument': 'usage.missing-argument',
  'commander.optionMissingArgument': 'usage.missing-argument',
  'commander.missingMandatoryOptionValue': 'usage.missing-argument',
  'commander.excessArguments': 'usage.extra-argument',
};

export class AosCommand extends Command {
  override createCommand(name?: string): AosCommand {
    return new AosCommand(name).helpCommand(false);
  }

  /** commander calls this for everything that is wrong with the arguments. */
  override error(message: string, options?: ErrorOptions): never {
    const [word] = this.args;
    if (options?.code === 'commander.excessArguments' && this.commands.length > 0 && word) {
      // A group that does something by itself: the word was meant to be one of its commands.
      this.error(`unknown command '${word}'`, { code: 'commander.unknownCommand' });
    }
    const code = codes[options?.code ?? ''] ?? 'usage.bad-value';
    throw new AosError(code, {
      message: this.#sentence(code, message.replace(/^error: /, '')),
      fix: `${this.path} --help`,
    });
  }

  /** commander calls this when a group of commands is named without one of them. */
  override help(): never {
    throw new AosError('usage.missing-command', {
      message: `"${this.path}" needs one more word: ${this.#subcommandNames().join(' or ')}`,
      fix: `${this.path} --help`,
    });
  }

  /** Help for a command that does not exist is no help. */
  override outputHelp(context?: HelpContext | ((text: string) => string)): void {
    const [first] = this.args;
    if (this.commands.length > 0 && first !== undefined && !first.startsWith('-')) {
      this.error(`unknown command '${first}'`, { code: 'commander.unknownCommand' });
    }
    if (typeof context === 'function') super.outputHelp(context);
    else super.outputHelp(context);
  }

  /** What is typed to reach it: `aos memory list`. */
  get path(): string {
    return this.parent instanceof AosCommand ? `${this.parent.path} ${this.name()}` : this.name();
  }

  #sentence(code: ErrorCode, commanderSays: string): string {
    const named = /'([\s\S]*)'/.exec(commanderSays)?.[1] ?? '';
    switch (code) {
      case 'usage.unknown-command':
        return `There is no command ${quote(named)}.${didYouMean(named, this.#subcommandNames())}`;
      case 'usage.unknown-option':
        return `"${this.path}" has no option ${quote(named)}.${didYouMean(named, this.#optionNames())}`;
      case 'usage.missing-argument':
        return `"${this.path}" needs a value for ${quote(named)}`;
      case 'usage.extra-argument':
        return `"${this.path}" was given more than it takes. ${commanderSays.replace(/^.*?\. /, '')}`;
      default:
        return this.#badValue(commanderSays);
    }
  }

  #badValue(commanderSays: string): string {
    const [, value, choices] =
      /(?:value|argument) '([\s\S]*)' is invalid[\s\S]*Allowed choices are (.*)\.$/.exec(
        commanderSays,
      ) ?? [];
    if (value === undefined || choices === undefined) {
      return `"${this.path}" cannot use this: ${commanderSays}`;
    }
    const names = choices.split(', ');
    return `"${this.path}" knows ${names.join(', ')}, not ${quote(value)}.${didYouMean(value, names)}`;
  }

  #subcommandNames(): string[] {
    return this.createHelp()
      .visibleCommands(this)
      .map((command) => command.name());
  }

  #optionNames(): string[] {
    const own = this.options.map((option) => option.long ?? option.short ?? '');
    const inherited = this.parent instanceof AosCommand ? this.parent.#optionNames() : [];
    return [...own, ...inherited, '--help'];
  }
}

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
  const head = must(field.split('.')[0], 'the first part of a field');
  const isSaid = (name: string) => [name, `${name}s`].includes(head) || head.startsWith(`${name}_`);
  const argument = command.registeredArguments.find((one) => isSaid(one.name()));
  if (argument !== undefined) return `<${argument.name()}>`;
  const option = command.options.find((one) => isSaid(one.name().replaceAll('-', '_')));
  return option?.long ?? (head.replaceAll('_', ' ') || 'request');
}
