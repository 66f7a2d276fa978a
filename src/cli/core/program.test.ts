import { mkdirSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import type { Environment } from '../../app/config/config.ts';
import { defaultSettings } from '../../app/config/settings.ts';
import { version } from '../../app/version.ts';
import { type ErrorCode, exitCodeOf } from '../../kernel/errors.ts';
import { AosCommand } from './aos-command.ts';
import { commands } from './commands.ts';
import type { Context } from './context.ts';
import { runProgram } from './program.ts';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Nothing is there and nothing is made there: no test here writes.
const nowhere: Environment = { AOS_HOME: '/nonexistent/home' };

async function aos(argv: readonly string[], environment: Environment = nowhere): Promise<Run> {
  let stdout = '';
  let stderr = '';
  const terminal = {
    out: (text: string) => {
      stdout += text;
    },
    err: (text: string) => {
      stderr += text;
    },
    colorOut: false,
    colorErr: false,
    columns: 80,
    input: { isTerminal: true, read: async function* () {} },
  };
  const { signal } = new AbortController();
  const code = await runProgram({ argv, environment, terminal, signal });
  return { code, stdout, stderr };
}

/** An environment that fails in a way nobody planned for. */
const brokenEnvironment: Environment = {
  get AOS_HOME(): string {
    throw new Error('the wires are crossed');
  },
};

describe('help', () => {
  test('aos without arguments prints the help and ends well', async () => {
    const run = await aos([]);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Usage: aos .*\bdoctor\b.*\bconfig\b.*\bcompletion\b/s);
  });

  test('the help lists no hidden command', async () => {
    const run = await aos(['--help']);

    expect(run.stdout).not.toContain('__complete');
  });

  test.each([['help'], ['--help'], ['-h']])('aos %s is the help of the program', async (word) => {
    const run = await aos([word]);

    expect(run).toEqual(await aos([]));
  });

  test('aos help COMMAND is the same as aos COMMAND --help', async () => {
    const run = await aos(['help', 'config', 'show']);

    expect(run).toEqual(await aos(['config', 'show', '--help']));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Usage: aos config show .*--origin/s);
  });

  test.each([
    ['aos help NAME', ['help', 'confg']],
    ['aos NAME --help', ['confg', '--help']],
  ])('%s refuses a name that no command has', async (_title, argv) => {
    const run = await aos(argv);

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('There is no command "confg". Did you mean "config"?');
  });
});

describe('the version', () => {
  test.each([['--version'], ['-V']])('aos %s prints it alone on stdout', async (flag) => {
    const run = await aos([flag]);

    expect(run).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('it has a JSON form', async () => {
    const run = await aos(['--version', '--json']);

    expect(JSON.parse(run.stdout)).toEqual({ ok: true, data: { version } });
  });
});

interface Refusal {
  readonly what: string;
  readonly argv: readonly string[];
  readonly error: ErrorCode;
  readonly says: string;
  readonly environment?: Environment;
}

const refusals: readonly Refusal[] = [
  {
    what: 'an unknown command',
    argv: ['dcotor'],
    error: 'usage.unknown-command',
    says: 'There is no command "dcotor". Did you mean "doctor"?',
  },
  {
    what: 'an unknown subcommand',
    argv: ['config', 'shwo'],
    error: 'usage.unknown-command',
    says: 'There is no command "shwo". Did you mean "show"?',
  },
  {
    what: 'a group without its subcommand',
    argv: ['config'],
    error: 'usage.missing-command',
    says: 'show or schema',
  },
  {
    what: 'an unknown option of a command',
    argv: ['config', 'show', '--orign'],
    error: 'usage.unknown-option',
    says: '"aos config show" has no option "--orign". Did you mean "--origin"?',
  },
  {
    what: 'a misspelt global option',
    argv: ['config', 'show', '--hoem', '/x'],
    error: 'usage.unknown-option',
    says: 'Did you mean "--home"?',
  },
  {
    what: 'a missing argument',
    argv: ['completion'],
    error: 'usage.missing-argument',
    says: '"aos completion" needs a value for "shell"',
  },
  {
    what: 'an option without its value',
    argv: ['config', 'show', '--set'],
    error: 'usage.missing-argument',
    says: '--set',
  },
  {
    what: 'an argument too many',
    argv: ['completion', 'bash', 'zsh'],
    error: 'usage.extra-argument',
    says: '"aos completion" was given more than it takes',
  },
  {
    what: 'an argument that is none of the choices',
    argv: ['completion', 'tcsh'],
    error: 'usage.bad-value',
    says: 'bash, zsh, fish',
  },
  {
    what: '--set without "="',
    argv: ['--set', 'diskWarnPercent', 'config', 'show'],
    error: 'usage.bad-value',
    says: '--set wants KEY=VALUE, and got "diskWarnPercent"',
  },
  {
    what: '--set of no setting',
    argv: ['--set', 'diskWarnPercnt=70', 'config', 'show'],
    error: 'config.unknown-key',
    says: 'Did you mean "diskWarnPercent"?',
  },
  {
    what: '--set without a key',
    argv: ['--set', '=70', 'config', 'show'],
    error: 'config.unknown-key',
    says: 'There is no setting ""',
  },
  {
    what: '--set of a bad value',
    argv: ['--set', 'diskWarnPercent=lots', 'config', 'show'],
    error: 'config.bad-value',
    says: 'a whole number from 1 to 100, and --set says "lots"',
  },
  {
    what: 'a variable that is no setting',
    argv: ['config', 'show'],
    environment: { AOS_DISK_WARN_PERCNT: '70' },
    error: 'config.unknown-key',
    says: 'Did you mean "AOS_DISK_WARN_PERCENT"?',
  },
  {
    what: 'an empty home',
    argv: ['--home', '', 'config', 'show'],
    error: 'config.bad-value',
    says: '"home" must be a text, and --home says ""',
  },
  {
    what: 'an id that nothing has',
    argv: ['doctor', 'bubblegum'],
    error: 'id.unknown',
    says: 'There is no check "bubblegum"',
  },
  {
    what: 'an id that fits two',
    argv: ['doctor', 'c'],
    error: 'id.ambiguous',
    says: '"c" fits 2 checks: config, clock',
  },
  {
    what: 'a failed check',
    argv: ['doctor', 'home'],
    environment: { AOS_HOME: '/proc/none' },
    error: 'doctor.failed',
    says: '1 of 1 checks failed: home',
  },
  {
    what: 'a bug of ours',
    argv: ['config', 'show'],
    environment: brokenEnvironment,
    error: 'internal.bug',
    says: 'the wires are crossed',
  },
];

describe.each(refusals)('$what', ({ argv, error, says, environment }) => {
  test('is told as one sentence and a fix on stderr', async () => {
    const run = await aos(argv, environment);

    expect(run.code).toBe(exitCodeOf(error));
    expect(run.stderr).toMatch(/^error: .+\n {2}try: .+\n$/);
    expect(run.stderr).toContain(says);
  });

  test('is told to programs as one line of JSON on stdout', async () => {
    const run = await aos(['--json', ...argv], environment);

    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: false,
      error: { code: error, message: expect.stringContaining(says), fix: expect.any(String) },
    });
  });
});

/** The words of every command and subcommand that is not hidden. */
function everyCommand(): string[][] {
  const not = (): never => {
    throw new Error('no command is run');
  };
  const context: Context = {
    ...{ environment: nowhere, argv: [], signal: new AbortController().signal },
    ...{ flags: not, wholeProgram: not, print: not, stream: not, words: not },
    terminal: {
      ...{ out: not, err: not, colorOut: false, colorErr: false, columns: 80 },
      input: { isTerminal: true, read: not },
    },
  };
  const below = (command: Command): string[][] => [
    [command.name()],
    ...command.commands.flatMap(below).map((words) => [command.name(), ...words]),
  ];
  return commands
    .filter(({ hidden }) => hidden !== true)
    .flatMap(({ name, define }) => {
      const command = new AosCommand(name);
      define(command, context);
      return below(command);
    });
}

test('every command tells programs in one line of JSON what it does not understand', async () => {
  const all = everyCommand();

  expect(all.length).toBeGreaterThan(60);
  for (const words of all) {
    const { stdout, stderr } = await aos([...words, '--no-such-option', '--json']);
    expect({ words, stderr }).toEqual({ words, stderr: '' });
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect({ words, ...JSON.parse(stdout) }).toMatchObject({
      ...{ words, ok: false },
      error: { code: expect.stringMatching(/^usage\./), message: expect.any(String) },
    });
  }
});

describe('stdout', () => {
  const withoutFindings = refusals.filter(({ error }) => error !== 'doctor.failed');

  test.each(withoutFindings)('stays empty at $what', async ({ argv, environment }) => {
    const run = await aos(argv, environment);

    expect(run.stdout).toBe('');
  });

  test('has the findings of a failed examination, which are data', async () => {
    const run = await aos(['doctor', 'home'], { AOS_HOME: '/proc/none' });

    expect(run.stdout).toMatch(/^failed +home /);
  });
});

describe('suggestions', () => {
  test('a hidden command is never suggested', async () => {
    const run = await aos(['__complte']);

    expect(run.stderr).toContain('There is no command "__complte".\n');
  });

  test('a word like no other gets none', async () => {
    const run = await aos(['xyzzy']);

    expect(run.stderr).toContain('There is no command "xyzzy".\n');
  });
});

describe('--json', () => {
  test('wraps the data of a success', async () => {
    const run = await aos(['config', 'show', '--json']);

    expect(JSON.parse(run.stdout)).toEqual({
      ok: true,
      data: { ...defaultSettings, home: '/nonexistent/home' },
    });
  });

  test.each([
    ['before the command', ['--json', 'config', 'show']],
    ['between the words of a command', ['config', '--json', 'show']],
    ['after the command', ['config', 'show', '--json']],
  ])('may stand %s', async (_place, argv) => {
    const run = await aos(argv);

    expect(JSON.parse(run.stdout)).toMatchObject({ ok: true });
  });

  test('after "--" is a word and no flag', async () => {
    const run = await aos(['config', 'show', '--', '--json']);

    expect(run).toMatchObject({ code: exitCodeOf('usage.extra-argument'), stdout: '' });
    expect(run.stderr).toMatch(/^error: .*--json/);
  });

  test('has the findings of a failed examination in the error', async () => {
    const run = await aos(['doctor', 'home', '--json'], { AOS_HOME: '/proc/none' });

    expect(JSON.parse(run.stdout).error.details.checks).toMatchObject([
      { check: 'home', state: 'failed' },
    ]);
  });
});

describe('--set', () => {
  test('may be repeated for several settings', async () => {
    const flags = ['--set', 'diskWarnPercent=1', '--set', 'diskAlertPercent=2'];

    const run = await aos([...flags, 'config', 'show', '--json']);

    expect(JSON.parse(run.stdout).data).toMatchObject({ diskWarnPercent: 1, diskAlertPercent: 2 });
  });

  test('given twice for one setting, the last one counts', async () => {
    const flags = ['--set', 'diskWarnPercent=1', '--set', 'diskWarnPercent=2'];

    const run = await aos([...flags, 'config', 'show', '--json']);

    expect(JSON.parse(run.stdout).data.diskWarnPercent).toBe(2);
  });

  test('keeps every "=" after the first in the value', async () => {
    const run = await aos(['--set', 'home=/nonexistent/a=b=', 'config', 'show', '--json']);

    expect(JSON.parse(run.stdout).data.home).toBe('/nonexistent/a=b=');
  });

  test('may follow the command', async () => {
    const run = await aos(['config', 'show', '--json', '--set', 'diskWarnPercent=7']);

    expect(JSON.parse(run.stdout).data.diskWarnPercent).toBe(7);
  });

  test('--home wins over --set home', async () => {
    const flags = ['--home', '/nonexistent/a', '--set', 'home=/nonexistent/b'];

    const run = await aos([...flags, 'config', 'show', '--json']);

    expect(JSON.parse(run.stdout).data.home).toBe('/nonexistent/a');
  });
});

describe('--debug', () => {
  test('prints the stack of a failure on stderr', async () => {
    const run = await aos(['--debug', 'config', 'show'], brokenEnvironment);

    expect(run.stderr).toMatch(/the wires are crossed\n\s+at /);
  });

  test('leaves stdout to the JSON', async () => {
    const run = await aos(['--debug', '--json', 'config', 'show'], brokenEnvironment);

    expect(JSON.parse(run.stdout).error.code).toBe('internal.bug');
  });
});

// An escape sequence, a change of writing direction, and a line that would pass for ours.
const evil = 'a\u001b[31m\u202eb\nforged';
const raw = /[\u001b\u202e\u009b]|^forged/m;

describe('a name that holds escapes, a change of direction and a line end', () => {
  test.each<[place: string, argv: readonly string[], environment?: Environment]>([
    ['a command', [evil]],
    ['a subcommand', ['config', evil]],
    ['an option', ['doctor', `--${evil}`]],
    ['an argument too many', ['config', 'show', evil]],
    ['a choice', ['completion', evil]],
    ['a check', ['doctor', evil]],
    ['--set without "="', ['--set', evil, 'config', 'show']],
    ['the key of --set', ['--set', `${evil}=1`, 'config', 'show']],
    ['the value of --set', ['--set', `diskWarnPercent=${evil}`, 'config', 'show']],
    ['a variable', ['config', 'show'], { [`AOS_${evil}`]: '1' }],
    ['the value of a variable', ['config', 'show'], { AOS_DISK_WARN_PERCENT: evil }],
    ['the home that is shown', ['--home', `/nonexistent/${evil}`, 'config', 'show', '--origin']],
    ['a home that cannot be made', ['--home', `/proc/${evil}`, 'doctor', 'home']],
  ])('is spelt out where it is %s', async (_place, argv, environment) => {
    const run = await aos(argv, environment);

    expect(run.stdout + run.stderr).not.toMatch(raw);
    expect(run.stdout + run.stderr).toContain('forged');
  });

  test.each([
    ['a home that is examined', evil],
    ['a home that is too long', evil + 'x'.repeat(100)],
  ])('is spelt out where it is %s', async (_place, name) => {
    await using folder = temporaryFolder();

    const run = await aos(['--home', folder.at(name), 'doctor', 'home']);

    expect(run.stdout + run.stderr).not.toMatch(raw);
    expect(run.stdout + run.stderr).toContain('forged');
  });

  test('is spelt out where config.json has it as a key', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('config.json'), JSON.stringify({ [evil]: 1 }));

    const run = await aos(['--home', folder.path, 'config', 'show']);

    expect(run.stderr).not.toMatch(raw);
    expect(run.stderr).toContain('forged');
  });

  test('is spelt out where the folder of a wrong config.json has it', async () => {
    await using folder = temporaryFolder();
    const home = folder.at(evil);
    mkdirSync(home);
    writeFileSync(folder.at(evil, 'config.json'), '{"diskWarnPercent": 0}');

    const run = await aos(['--home', home, 'config', 'show']);

    expect(run.stderr).not.toMatch(raw);
    expect(run.stderr).toContain('forged');
  });

  test('is escaped in JSON, and reads back as it was', async () => {
    const home = `/nonexistent/\u009b2J${evil}`;

    const run = await aos(['--home', home, 'config', 'show', '--json']);

    expect(run.stdout).not.toMatch(raw);
    expect(JSON.parse(run.stdout).data.home).toBe(home);
  });
});
