import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../src/app/version.ts';
import { type ErrorCode, errorKinds, exitCodeOf } from '../../src/kernel/errors.ts';
import { hasSandbox } from '../support/machine.ts';
import { launcher, runAos, runProgram, stackLine } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untilTrue } from '../support/until.ts';

describe('stdout and stderr', () => {
  test('the version is all that --version prints', async () => {
    const run = await runAos(['--version']);

    expect(run).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  });

  test('--version --json is one envelope', async () => {
    const run = await runAos(['--version', '--json']);

    expect(JSON.parse(run.stdout)).toEqual({ ok: true, data: { version } });
  });

  test('the help goes to stdout, because it was asked for', async () => {
    const run = await runAos(['--help']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Usage: aos /);
  });

  test('the data of a command goes to stdout and nothing goes to stderr', async () => {
    const run = await runAos(['config', 'schema']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toHaveProperty('properties');
  });

  test('the words of a failure go to stderr and nothing goes to stdout', async () => {
    const run = await runAos(['dcotor']);

    expect(run).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: 'error: There is no command "dcotor". Did you mean "doctor"?\n  try: aos --help\n',
    });
  });

  test('a failure with --json leaves stderr empty', async () => {
    const run = await runAos(['dcotor', '--json']);

    expect(run).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false });
  });
});

describe('exit codes', () => {
  test.each<readonly [ErrorCode, readonly string[]]>([
    ['usage.unknown-command', ['nope']],
    ['config.bad-value', ['--set', 'diskWarnPercent=0', 'config', 'show']],
    ['id.unknown', ['doctor', 'nope']],
    ['id.ambiguous', ['doctor', 'c']],
    ['doctor.failed', ['--home', '/proc/none', 'doctor', 'home']],
  ])('%s ends with the code of its table', async (error, argv) => {
    const run = await runAos([...argv, '--json']);

    expect(JSON.parse(run.stdout).error.code).toBe(error);
    expect(run.code).toBe(exitCodeOf(error));
  });
});

// A terminal of its own, by util-linux: what the program prints on either stream comes out.
function onTerminal(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runProgram('script', ['-qec', 'exec "$PROGRAM" "$LAUNCHER" $WORDS', '/dev/null'], {
    env: {
      ...{ TERM: 'xterm', SHELL: '/bin/sh' },
      ...{ PROGRAM: process.execPath, LAUNCHER: launcher, WORDS: argv.join(' ') },
      ...env,
    },
  });
}

describe('colours', () => {
  test('a terminal gets them', async () => {
    const run = await onTerminal(['nope']);

    expect(run.code).toBe(2);
    expect(run.stdout).toContain('\u001b[31merror:\u001b[0m There is no command "nope".');
  });

  test('a terminal gets them in what doctor found', async () => {
    const run = await onTerminal(['doctor', 'node']);

    expect(run.stdout).toMatch(/^\u001b\[32mok/);
  });

  test.each<readonly [string, readonly string[], Readonly<Record<string, string>>]>([
    ['NO_COLOR is set', [], { NO_COLOR: '1' }],
    ['the terminal is dumb', [], { TERM: 'dumb' }],
    ['--no-color is given', ['--no-color'], {}],
    ['--json is given', ['--json'], {}],
  ])('a terminal gets none where %s', async (_when, flags, env) => {
    const run = await onTerminal(['nope', ...flags], env);

    expect(run.stdout).toContain('There is no command');
    expect(run.stdout).not.toContain('\u001b');
  });

  test('an empty NO_COLOR says nothing', async () => {
    const run = await onTerminal(['nope'], { NO_COLOR: '' });

    expect(run.stdout).toContain('\u001b[31m');
  });

  test('a pipe gets none', async () => {
    const run = await runAos(['nope'], { env: { TERM: 'xterm' } });

    expect(run.stderr).not.toContain('\u001b');
  });
});

/** Runs aos below a line of bash, in which "$@" is the command. */
function inBash(line: string, argv: readonly string[]) {
  return runAos(argv, { through: ['bash', '-c', line, 'bash'] });
}

// Descriptor 4 becomes a pipe that nobody reads any more: a reader came and went.
const pipeWithoutReader =
  'd=$(mktemp -d); mkfifo "$d/p"; exec 3<>"$d/p" 4>"$d/p" 3>&-; rm -r "$d"; ';

describe('output that nobody takes', () => {
  test('aos … | head -1 is no failure', async () => {
    const run = await inBash('set -o pipefail; "$@" | head -1', ['config', 'schema']);

    expect(run).toEqual({ code: 0, signal: null, stdout: '{\n', stderr: '' });
  });

  test('a reader that has left before the first word is no failure', async () => {
    const run = await inBash(`${pipeWithoutReader} exec "$@" >&4`, ['config', 'schema']);

    expect(run).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  test('a failure keeps its exit code where nobody reads its words', async () => {
    const run = await inBash(`${pipeWithoutReader} exec "$@" 2>&4`, ['nope']);

    expect(run).toEqual({ code: 2, signal: null, stdout: '', stderr: '' });
  });

  test('a full disk below stdout is told in a sentence, not in a stack', async () => {
    const run = await inBash('exec "$@" >/dev/full', ['config', 'schema']);

    expect(run.stderr).toMatch(/^error: .+\n/);
    expect(run.stderr).not.toMatch(stackLine);
    expect(run.code).toBe(exitCodeOf('disk.full'));
  });

  test('a failure keeps its exit code where its words find a full disk', async () => {
    const run = await inBash('exec "$@" 2>/dev/full', ['nope']);

    expect(run.code).toBe(2);
  });
});

describe.skipIf(!hasSandbox)('Ctrl-C', () => {
  test('ends a command that is under way with exit code 130', async () => {
    await using folder = temporaryFolder();
    // The sandbox program of this world never ends on its own, so neither does doctor.
    const started = folder.at('started');
    const endless = folder.at('endless');
    execFileSync('mkfifo', [folder.at('fifo')]);
    writeFileSync(
      endless,
      `#!/bin/sh\necho "$PPID $$" > ${started}.new\nmv ${started}.new ${started}\nread never < ${folder.at('fifo')}\n`,
    );
    chmodSync(endless, 0o755);
    const world = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', endless, '/usr/bin/bwrap', '--'];

    const running = runAos(['doctor', 'sandbox'], { through: world });
    await untilTrue(() => existsSync(started));
    // As a terminal does: to everything that runs in the foreground.
    const [command, child] = readFileSync(started, 'utf8').split(' ').map(Number);
    process.kill(command ?? 0, 'SIGINT');
    try {
      process.kill(child ?? 0, 'SIGINT');
    } catch {
      // The command was quicker, and has ended its child already.
    }
    const run = await running;

    expect(run.code).toBe(errorKinds.interrupted.exit);
    expect(run.stderr).toContain('Stopped by Ctrl-C');
    expect(run.stderr).not.toMatch(stackLine);
  });
});

/** A Node of this machine that is older than what Agent OS needs. */
function olderNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'node')).find(isOlderNode);
}

function isOlderNode(path: string): boolean {
  if (!existsSync(path)) return false;
  const major = execFileSync(path, ['-p', 'process.versions.node.split(".")[0]']);
  return Number(major) < 24;
}

const node = olderNode();

// Where the machine has no older Node, there is nothing to start the launcher on.
if (node !== undefined) {
  describe('an older Node', () => {
    test('is refused in one sentence with a fix', async () => {
      const run = await runAos(['doctor'], { node });

      expect(run).toMatchObject({ code: exitCodeOf('node.too-old'), stdout: '' });
      expect(run.stderr).toMatch(
        /^error: Agent OS needs Node 24 or newer, and this is Node [\d.]+\n {2}try: .+\n$/,
      );
    });

    test('is refused as JSON where that is asked for', async () => {
      const run = await runAos(['doctor', '--json'], { node });

      expect(run).toMatchObject({ code: exitCodeOf('node.too-old'), stderr: '' });
      expect(JSON.parse(run.stdout)).toEqual({
        ok: false,
        error: {
          code: 'node.too-old',
          message: expect.stringContaining('needs Node 24'),
          fix: expect.any(String),
        },
      });
    });
  });
}

describe('a checkout that has not been built', () => {
  test.each<readonly [string, readonly string[], object]>([
    [
      'in one sentence with a fix',
      [],
      {
        stdout: '',
        stderr: 'error: Agent OS has not been built in this checkout yet\n  try: npm start\n',
      },
    ],
    [
      'as JSON where that is asked for',
      ['--json'],
      {
        stdout:
          '{"ok":false,"error":{"code":"build.missing","message":"Agent OS has not been built in this checkout yet","fix":"npm start"}}\n',
        stderr: '',
      },
    ],
  ])('is told %s', async (_how, flags, said) => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('bin'));
    copyFileSync(launcher, folder.at('bin', 'aos.cjs'));

    const run = await runProgram(process.execPath, [folder.at('bin', 'aos.cjs'), ...flags]);

    expect(run).toEqual({ code: exitCodeOf('build.missing'), signal: null, ...said });
  });
});

test('the launcher, which cannot read the table of codes, agrees with it on exit code 1', () => {
  const codes: readonly ErrorCode[] = ['node.too-old', 'build.missing'];

  expect(codes.map(exitCodeOf)).toEqual([1, 1]);
});
