import type { Command } from 'commander';
import type { Context } from './context.ts';

/** Hidden: the shells' scripts call it on every TAB. */
export function defineComplete(command: Command, context: Context): void {
  command
    .argument('[words...]', 'the words after "aos", the last one being typed')
    .allowUnknownOption()
    .helpOption(false)
    .action((words: string[]) => {
      const found = candidates(context.wholeProgram(), words);
      if (found.length > 0) context.words(found.join('\n'));
    });
}

/** What may stand where the last word is, for a tree of commands. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  const { command, awaitsValue } = descend(program, words.slice(0, -1));
  if (awaitsValue) return [];
  const all = typed.startsWith('-') ? optionsOf(command) : namesIn(command);
  return all.filter((candidate) => candidate.startsWith(typed));
}

/** The command that the words lead to, and whether the last of them is an option that wants a value. */
function descend(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly awaitsValue: boolean } {
  let command = program;
  let awaitsValue = false;
  for (const word of words) {
    if (awaitsValue) awaitsValue = false;
    else if (word.startsWith('-')) awaitsValue = wantsValue(command, word);
    else command = command.commands.find((child) => child.name() === word) ?? command;
  }
  return { command, awaitsValue };
}

function wantsValue(command: Command, word: string): boolean {
  return lineage(command)
    .flatMap(({ options }) => options)
    .some(({ long, short, required }) => required && (word === long || word === short));
}

function namesIn(command: Command): string[] {
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const children = command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
  return [...children, ...choices];
}

function optionsOf(command: Command): string[] {
  const options = lineage(command).flatMap(({ options }) => options);
  return [...options.map(({ long, short }) => long ?? short ?? ''), '--help'];
}

function lineage(command: Command): Command[] {
  return command.parent === null ? [command] : [command, ...lineage(command.parent)];
}
