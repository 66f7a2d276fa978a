/** `aos files`: a sentence about files, or one of the actions by its name. */
import type { Argument, Command } from 'commander';
import type { Context } from '../core/context.ts';
import { type ChangeOptions, changeOptions } from './change.ts';
import { defineFilesChanges } from './changes.ts';
import { defineFilesIndexes } from './indexes.ts';
import { defineFilesLooks } from './looks.ts';
import { defineFilesRun } from './run.ts';
import { doSentence } from './sentence.ts';
import { defineFilesTrash } from './trash.ts';
import { defineFilesUndo } from './undo.ts';

export function defineFiles(command: Command, context: Context): void {
  command.configureHelp({ ...command.configureHelp(), subcommandTerm: termOf });
  command.usage('"SENTENCE" [--dry-run] [--as AGENT] | COMMAND').addHelpText('after', help);
  defineSentence(command, context);
  defineFilesLooks(command, context);
  defineFilesChanges(command, context);
  defineFilesUndo(command, context);
  defineFilesTrash(command, context);
  defineFilesIndexes(command, context);
  defineFilesRun(command, context);
}

/** Without the longer name of the interface, which works too. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map(nameOf);
  return [command.name(), ...words].join(' ');
}

function nameOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const help = `
A sentence in English says what to find or to do; what was made of it is said first. A first
word that is one of the commands is that command; put a sentence that begins with one in quotes.

Nothing that a sentence would change is changed before you have seen the plan and said yes. Where
nobody can be asked, the plan is printed with its hash, and the exit code is 5; the same command
with --yes --plan HASH does it if nothing has changed since. To what is deleted for ever that
is the answer to both questions. --dry-run only says what would happen; --as AGENT asks as an
agent, for which a human is asked: aos approvals.

Examples:
  aos files "Find all the PDFs I downloaded this month"
  aos files "Move everything in my Downloads folder older than 30 days to Archive"
  aos files how much space are my video files taking up
  aos files list ~/Documents --larger 10M --sort size
  aos files undo`;

/** What is no command is a sentence. */
function defineSentence(group: Command, context: Context): void {
  const command = group
    .command('sentence', { isDefault: true, hidden: true })
    .description('do what a sentence says')
    .argument('[words...]', 'the sentence')
    .option('--as <agent>', 'as this agent (AOS_AGENT, else owner)');
  changeOptions(command).action((words: string[], options: ChangeOptions) => {
    const json = command.optsWithGlobals()['json'] === true;
    return doSentence(context, { group, words, json }, options);
  });
}
