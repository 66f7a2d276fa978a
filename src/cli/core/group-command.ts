import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import { quote, shellWord } from '../../kernel/text/quote.ts';

/**
 * A command below a group that does something by itself: it does not take the options of
 * the group.
 */
export function groupCommand(group: Command, name: string): Command {
  const command = group.command(name);
  command.configureHelp({
    ...command.configureHelp(),
    visibleGlobalOptions: () => (group.parent?.options ?? []).filter(({ hidden }) => !hidden),
  });
  return command.hook('preAction', () => {
    const given = group.options.find(
      (option) => group.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (given === undefined) return;
    const [path, whole] = [`aos ${group.name()} ${name}`, `aos ${group.name()}`];
    throw new AosError('usage.unknown-option', {
      message: `"${path}" has no option ${quote(given.long ?? given.flags)}, which is for "${whole}"`,
      fix: `${path} --help`,
    });
  });
}

/** A longer command is not worth reading again. */
const mostCharacters = 2000;

/** The command with options added, before words that only look like options. */
export function commandWith(argv: readonly string[], options: readonly string[]): string {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const [before, after] = [argv.slice(0, end).map(shellWord), argv.slice(end).map(shellWord)];
  const whole = ['aos', ...before, ...options, ...after].join(' ');
  if (whole.length <= mostCharacters) return whole;
  return `The same command with ${options.join(' ')}`;
}
