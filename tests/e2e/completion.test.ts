import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/core/commands.ts';
import { isInstalled } from '../support/machine.ts';
import { programScript, type Run, runAos, runProgram } from '../support/run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { cases } from '../support/tier.ts';

const visibleCommands = commands
  .filter(({ hidden }) => hidden !== true)
  .map(({ name }) => name)
  .sort();

interface Shell {
  readonly name: string;
  /** Completes the last of "$@" and prints what the user would be offered, one a line. */
  readonly complete: (folder: string, words: readonly string[]) => Promise<Run>;
}

const bash: Shell = {
  name: 'bash',
  complete: (folder, words) =>
    inShell(folder, 'bash', [
      ...['--norc', '-c'],
      `source "$0"
       set -- aos "$@"
       COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
       # By the name that the script registered, as bash itself would.
       "$(complete -p aos | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
       [ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`,
      ...[join(folder, 'script'), ...words],
    ]),
};

const zsh: Shell = {
  name: 'zsh',
  complete: (folder, words) =>
    inShell(folder, 'zsh', [
      ...['-f', '-c'],
      // The two doors to zsh's line editor, which only an interactive zsh has.
      `compdef() { completer=$1 }
       compadd() { shift; print -rl -- "$@" }
       _files() { }
       source "$0"
       words=(aos "$@") CURRENT=$(($# + 1))
       $completer`,
      ...[join(folder, 'script'), ...words],
    ]),
};

const fish: Shell = {
  name: 'fish',
  complete: (folder, words) =>
    inShell(folder, 'fish', [
      ...['--no-config', '-c'],
      'source $argv[1]; complete -C "$argv[2]"',
      ...[join(folder, 'script'), ['aos', ...words].join(' ')],
    ]),
};

function inShell(folder: string, shell: string, args: readonly string[]): Promise<Run> {
  const path = `${folder}${delimiter}${process.env['PATH']}`;
  return runProgram(shell, args, { env: { PATH: path, HOME: folder } });
}

/** Each a folder with `aos` in it, as a path would have it, and the script of one shell. */
const prepared = new Map<string, TemporaryFolder>();

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const folder = temporaryFolder();
    prepared.set(shell, folder);
    const { stdout } = await runAos(['completion', shell]);
    writeFileSync(folder.at('script'), stdout);
    writeFileSync(folder.at('aos'), programScript(), { mode: 0o755 });
  }
});

afterAll(async () => {
  for (const folder of prepared.values()) await folder[Symbol.asyncDispose]();
});

const folderOf = (shell: string): string => prepared.get(shell)?.path ?? '';

const completions: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['every command', [''], visibleCommands],
  ['the commands that begin as typed', ['co'], ['completion', 'config']],
  ['subcommands', ['config', ''], ['schema', 'show']],
  ['the subcommands that begin as typed', ['config', 'sc'], ['schema']],
  ['options of a command', ['config', 'show', '--o'], ['--origin']],
  ['options of the program', ['doctor', '--j'], ['--json']],
  ['the shells', ['completion', ''], ['bash', 'fish', 'zsh']],
  [
    'subcommands behind an option and its value',
    ['--home', '/x', 'config', 's'],
    ['schema', 'show'],
  ],
  ['nothing for a word that begins nothing', ['xyzzy'], []],
];

/** Of the shells beside bash a few: what is offered is found by the same command for all. */
const completionsIn = (shell: string) =>
  shell === 'bash' ? completions : cases(`completion in ${shell}`, completions, 3);

describe.for([bash, zsh, fish])('$name', ({ name, complete }) => {
  test.skipIf(!isInstalled(name)).each(completionsIn(name))(
    'completes %s',
    async (_what, words, expected) => {
      const run = await complete(folderOf(name), words);

      expect(run.stderr).toBe('');
      expect(
        run.stdout
          .split('\n')
          .filter((line) => line !== '')
          .sort(),
      ).toEqual(expected);
    },
  );

  test('reads its script without a complaint', async () => {
    const folder = folderOf(name);

    const run = await runProgram(name, ['-n', join(folder, 'script')], { env: { HOME: folder } });

    expect(run).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });
});

test('bash completes at the cursor, whatever follows it', async () => {
  const folder = folderOf('bash');
  const line = `source "$0"; COMP_WORDS=(aos con show) COMP_CWORD=1; _aos; echo "\${COMPREPLY[@]}"`;

  const run = await inShell(folder, 'bash', ['--norc', '-c', line, join(folder, 'script')]);

  expect(run.stdout).toBe('config\n');
});

test('a shell that aos does not know is refused with those that it knows', async () => {
  const run = await runAos(['completion', 'tcsh']);

  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain('bash, zsh, fish');
});

test('the script has a JSON form', async () => {
  const plain = await runAos(['completion', 'bash']);

  const run = await runAos(['completion', 'bash', '--json']);

  expect(JSON.parse(run.stdout)).toEqual({
    ok: true,
    data: { shell: 'bash', script: plain.stdout.trimEnd() },
  });
});

test('a word with escapes, blanks and quotes completes to nothing, and quietly', async () => {
  const run = await runAos(['__complete', '--', 'a "b" \u001b[31m $(x)']);

  expect(run).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
});
