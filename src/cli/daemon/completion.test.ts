import { Argument, Command } from 'commander';
import { expect, test } from 'vitest';
import { candidates } from './completion.ts';

function tree(): Command {
  const program = new Command('aos')
    .helpCommand(false)
    .option('--home <dir>')
    .option('--json')
    .option('-q');
  const config = program.command('config').helpCommand(false);
  config.command('show').option('--origin');
  config.command('schema');
  program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
  program.command('__complete', { hidden: true });
  return program;
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['every visible command where nothing is typed', [''], ['config', 'completion']],
  ['every visible command where there is no word at all', [], ['config', 'completion']],
  ['the commands that begin as typed', ['conf'], ['config']],
  ['nothing for a word that begins no command', ['x'], []],
  ['nothing for the name of a hidden command', ['__'], []],
  ['the subcommands of a group', ['config', ''], ['show', 'schema']],
  ['the subcommands that begin as typed', ['config', 'sc'], ['schema']],
  ['the choices of an argument', ['completion', ''], ['bash', 'zsh']],
  ['the choices that begin as typed', ['completion', 'z'], ['zsh']],
  ['the options of the program', ['-'], ['--home', '--json', '-q', '--help']],
  ['its own options and those above', ['config', 'show', '--o'], ['--origin']],
  ['the options of the program below a command', ['config', 'show', '--j'], ['--json']],
  ['no option of a sibling', ['config', 'schema', '--o'], []],
  ['nothing where an option waits for its value', ['--home', ''], []],
  ['nothing where an option waits, though a dash is typed', ['--home', '-'], []],
  ['the commands after an option and its value', ['--home', '/x', 'conf'], ['config']],
  ['the commands after an option without a value', ['--json', 'conf'], ['config']],
  ['the subcommands although the value is called like a command', ['--home', 'config', 's'], []],
  ['the subcommands around an option', ['config', '--json', 's'], ['show', 'schema']],
])('candidates() gives %s', (_what, words, expected) => {
  expect(candidates(tree(), words)).toEqual(expected);
});
