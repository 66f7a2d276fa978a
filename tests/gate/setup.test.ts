/** `scripts/setup.mjs` on a checkout that is set up already, which is nearly every run. */
import {
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CheckoutCopy, lend, readyCopy, setUp } from './checkout-copy.ts';
import { start } from './running-program.ts';

const comment = (text: string) => `${text}\n// planted\n`;

let ready: CheckoutCopy;

beforeAll(async () => {
  ready = await readyCopy();
});

afterAll(() => ready[Symbol.asyncDispose]());

test('a second setup changes nothing and says nothing', async () => {
  await using copy = await lend(ready);
  copy.fake('npm', 'exit 1');
  const before = [stampTime(copy), buildTime(copy)];

  const outcome = await setUp(copy);

  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
  expect([stampTime(copy), buildTime(copy)]).toEqual(before);
});

test.each([
  ['removed', () => {}],
  ['dangling', (path: string) => symlinkSync('nowhere', path)],
])('node_modules/.bin/aos is restored when it is %s', async (_how, spoil) => {
  await using copy = await lend(ready);
  const link = copy.at('node_modules', '.bin', 'aos');
  rmSync(link);
  spoil(link);

  const outcome = await setUp(copy);

  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(realpathSync(link)).toBe(copy.at('bin', 'aos.cjs'));
});

describe('what setup runs afterwards', () => {
  test('gets its arguments and stdin, and gives back stdout, stderr and the exit code', async () => {
    await using copy = await lend(ready);
    writeFileSync(
      copy.at('program.mjs'),
      `process.stdout.write(JSON.stringify(process.argv.slice(2)));
       process.stdin.pipe(process.stderr);
       process.exitCode = 7;`,
    );

    const outcome = await setUp(copy, ['program.mjs', '--flag', 'two words', ''], {
      input: 'a line\n',
    });

    expect(outcome).toEqual({ code: 7, stdout: '["--flag","two words",""]', stderr: 'a line\n' });
  });

  test('runs on the chosen Node, and finds the programs of the checkout first', async () => {
    await using copy = await lend(ready);
    writeFileSync(
      copy.at('program.mjs'),
      `process.stdout.write([process.execPath, process.env.PATH.split(':')[0]].join(' '));`,
    );

    const { stdout } = await setUp(copy, ['program.mjs']);

    expect(stdout).toBe(`${process.execPath} ${copy.at('node_modules', '.bin')}`);
  });

  test('is told of a SIGTERM, and has the last word on it', async () => {
    await using copy = await lend(ready);
    writeFileSync(
      copy.at('program.mjs'),
      `process.on('SIGTERM', () => { process.stdout.write(', asked to end'); process.exit(3); });
       setInterval(() => {}, 1000);
       process.stdout.write('running');`,
    );
    await using program = startSetup(copy, 'program.mjs');
    await program.said('running');

    program.signal('SIGTERM');

    expect(await program.outcome).toEqual({
      code: 3,
      stdout: 'running, asked to end',
      stderr: '',
    });
  });

  test('that dies of the SIGTERM gives the exit code a shell would give', async () => {
    await using copy = await lend(ready);
    writeFileSync(
      copy.at('program.mjs'),
      `setInterval(() => {}, 1000);\nprocess.stdout.write('running');`,
    );
    await using program = startSetup(copy, 'program.mjs');
    await program.said('running');

    program.signal('SIGTERM');

    expect(await program.outcome).toMatchObject({ code: 128 + 15 });
  });
});

test('a changed lock file is installed again, by an npm on the chosen Node', async () => {
  await using copy = await lend(ready);
  copy.fake('node', 'echo another Node');
  copy.fake('npm', `echo "$(node -p process.execPath) $1" >> "${copy.at('.setup', 'npm-calls')}"`);
  using _changed = copy.plant('package-lock.json', (text) => `${text}\n`);

  const { code } = await setUp(copy);

  expect(code).toBe(0);
  expect(readFileSync(copy.at('.setup', 'npm-calls'), 'utf8')).toBe(`${process.execPath} ci\n`);
});

describe('the build', () => {
  test('is made again once after a source changed', async () => {
    await using copy = await lend(ready);
    using _ = copy.plant('src/cli/core/main.ts', comment);
    const before = buildTime(copy);

    const first = await setUp(copy);
    const afterFirst = buildTime(copy);
    const second = await setUp(copy);

    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('building') });
    expect(afterFirst).not.toBe(before);
    expect(second).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(buildTime(copy)).toBe(afterFirst);
  });

  test('is made again when a power cut left it empty', async () => {
    await using copy = await lend(ready);
    writeFileSync(copy.at('dist', 'cli.cjs'), '');

    const { code, stdout } = await setUp(copy, ['bin/aos.cjs', '--version']);

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+/) });
  });

  test('is made again when it is gone', async () => {
    await using copy = await lend(ready);
    rmSync(copy.at('dist', 'cli.cjs'));

    await setUp(copy);

    expect(existsSync(copy.at('dist', 'cli.cjs'))).toBe(true);
  });

  test('is left alone when only a test changed', async () => {
    await using copy = await lend(ready);
    using _ = copy.plant('src/kernel/errors.test.ts', comment);
    const before = buildTime(copy);

    const outcome = await setUp(copy);

    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(buildTime(copy)).toBe(before);
  });

  test('that fails is told in words, without the setup running on', async () => {
    await using copy = await lend(ready);
    using _ = copy.plant('src/cli/core/main.ts', (text) => `${text}\nconst = planted;\n`);

    const { code, stdout, stderr } = await setUp(copy, ['bin/aos.cjs', '--version']);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('setup: the build failed:\n');
    expect(stderr).toContain('src/cli/core/main.ts:');
    expect(stderr).not.toContain('setup.mjs:');
  });

  test('of sources that were taken back after they failed is not the failed one', async () => {
    await using copy = await lend(ready);
    const broken = copy.plant(
      'src/cli/core/main.ts',
      (text) => `throw new Error('planted');\n${text}`,
    );
    const failed = await setUp(copy);
    broken[Symbol.dispose]();

    const outcome = await setUp(copy, ['bin/aos.cjs', '--version']);

    expect(failed.code).toBe(1);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+\.\d+\.\d+/) });
  });
});

describe('a program that npm cannot bring', () => {
  test('is named with what it is for, and the run goes on', async () => {
    await using copy = await lend(ready);
    writeFileSync(copy.at('program.mjs'), `process.stdout.write('went on');`);

    const outcome = await setUp(copy, ['program.mjs'], { env: withoutPrograms(copy) });

    expect(outcome).toEqual({
      code: 0,
      stdout: 'went on',
      stderr:
        'setup: bubblewrap is missing: the sandbox that agents run in\n' +
        'setup: install with your package manager: bubblewrap\n',
    });
  });

  test("comes with the command of the machine's package manager", async () => {
    await using copy = await lend(ready);
    const env = withoutPrograms(copy);
    copy.fake('dnf', 'exit 1');

    const { stderr } = await setUp(copy, [], { env });

    expect(stderr).toContain('setup: install with: sudo dnf install bubblewrap\n');
  });

  test('is asked for by the tests too, when only they need it', async () => {
    await using copy = await lend(ready);

    const { stderr } = await setUp(copy, ['--for-tests'], { env: withoutPrograms(copy) });

    expect(stderr).toContain('setup: zsh is missing: the tests of shell completion\n');
    expect(stderr).toContain(
      'setup: install with your package manager: bubblewrap zsh fish strace openssl python3 chromium curl\n',
    );
  });
});

function stampTime(copy: CheckoutCopy): bigint {
  const stamp = copy.at('node_modules', '.cache', 'setup-stamp');
  return statSync(stamp, { bigint: true }).mtimeNs;
}

function buildTime(copy: CheckoutCopy): bigint {
  return statSync(copy.at('dist', 'cli.cjs'), { bigint: true }).mtimeNs;
}

function startSetup(copy: CheckoutCopy, file: string) {
  return start(process.execPath, ['scripts/setup.mjs', file], { cwd: copy.path, env: copy.env });
}

/** A PATH on which no package manager is, and none of the programs that are looked for. */
function withoutPrograms(copy: CheckoutCopy): NodeJS.ProcessEnv {
  for (const name of ['bwrap', 'zsh', 'fish', 'strace', 'openssl']) rmSync(join(copy.fakes, name));
  return { ...copy.env, PATH: copy.fakes };
}
