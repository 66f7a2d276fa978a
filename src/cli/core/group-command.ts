import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

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
