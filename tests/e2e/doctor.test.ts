import { chmodSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkNames, type DoctorFinding } from '../../src/app/doctor/finding.ts';
import { version } from '../../src/app/version.ts';
import { exitCodeOf } from '../../src/kernel/errors.ts';
import { aosHere } from '../support/aos-here.ts';
import { hasSandbox, isRoot } from '../support/machine.ts';
import {
  asNobody,
  bareWorld,
  type Run,
  type RunOptions,
  runAos,
  runProgram,
  stackLine,
} from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cases } from '../support/tier.ts';

// How full this machine's own disk is, is not what is tested here.
const anyDisk = ['--set', 'diskAlertPercent=100', '--set', 'diskWarnPercent=100'];
const dayMs = 24 * 60 * 60 * 1000;

/**
 * The real program where all is examined, in another world, or the sandbox, which sees what this
 * process has inherited; else the same command in this process.
 */
function doctor(home: string, words: readonly string[] = [], options?: RunOptions): Promise<Run> {
  const argv = ['--home', home, ...anyDisk, 'doctor', ...words];
  const [check = '--json'] = words;
  const isReal = options !== undefined || check === '--json' || check === 'sandbox';
  return isReal ? runAos(argv, options) : aosHere(argv);
}

/** What doctor found, well or not, by check. */
async function findings(
  home: string,
  words: readonly string[] = [],
  options?: RunOptions,
): Promise<Map<string, DoctorFinding>> {
  const { stdout } = await doctor(home, [...words, '--json'], options);
  const { ok, data, error } = JSON.parse(stdout);
  const checks: DoctorFinding[] = (ok === true ? data : error.details).checks;
  return new Map(checks.map((finding) => [finding.check, finding]));
}

/** What every failed examination looks like to a person. */
function expectFailure(run: Run, check: string): void {
  expect(run.code).toBe(exitCodeOf('doctor.failed'));
  expect(run.stdout).toMatch(new RegExp(`^failed +${check} +.+\\n +try: .+$`, 'm'));
  expect(run.stderr).toMatch(
    new RegExp(`^error: .* checks failed: .*\\b${check}\\b.*\\n {2}try: .+\\n$`),
  );
  expect(run.stdout + run.stderr).not.toMatch(stackLine);
}

describe('a machine and a home that are well', () => {
  test('are told line by line, and the exit code is 0; nothing is left in it or beside it', async () => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('home'), { mode: 0o700 });

    const run = await doctor(folder.at('home'));

    expect(readdirSync(folder.path, { recursive: true })).toEqual(['home']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).not.toMatch(/^(failed|skipped)/m);
    expect(run.stdout).toMatch(new RegExp(`Agent OS ${version} is ready on this machine\\.\\n$`));
  });

  test('are told to programs as one finding a check, in order', async () => {
    await using home = temporaryFolder();

    const run = await doctor(home.path, ['--json']);

    const { ok, data } = JSON.parse(run.stdout);
    expect(ok).toBe(true);
    expect(data.checks.map(({ check }: DoctorFinding) => check)).toEqual(checkNames);
    for (const finding of data.checks) {
      expect(finding).toMatchObject({
        state: expect.stringMatching(/^(ok|warning)$/),
        says: expect.any(String),
      });
    }
  });

  test('are well too where the home is not there yet, and it is not there afterwards', async () => {
    await using folder = temporaryFolder();

    const run = await doctor(folder.at('not', 'yet'));

    expect(run.code).toBe(0);
    expect(run.stdout).toContain('is not there yet and can be made');
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('one check', () => {
  test('is found by the beginning of its name', async () => {
    await using home = temporaryFolder();

    const found = await findings(home.path, ['mod']);

    expect([...found.keys()]).toEqual(['modes']);
  });

  test('alone does not call the machine ready', async () => {
    await using home = temporaryFolder();

    const run = await doctor(home.path, ['modes']);

    expect(run.code).toBe(0);
    expect(run.stdout).not.toContain('ready');
  });

  test('that there is not is refused with a list of those there are', async () => {
    const run = await runAos(['doctor', 'modse']);

    expect(run).toMatchObject({ code: exitCodeOf('id.unknown'), stdout: '' });
    expect(run.stderr).toContain('There is no check "modse". Did you mean "modes"?');
    expect(run.stderr).toContain('node, config, home');
  });

  test('is no success where broken settings kept it from being looked at', async () => {
    await using home = temporaryFolder();
    writeFileSync(home.at('config.json'), '[]', { mode: 0o600 });

    const run = await doctor(home.path, ['modes']);

    expect(run.code).toBe(exitCodeOf('doctor.failed'));
    expect(run.stdout).toMatch(/^failed +config /m);
  });
});

describe('a home that cannot be written', () => {
  test.each([
    ['in a file system of the kernel', '/proc/none'],
    ['below a device', '/dev/null/home'],
    ['a device', '/dev/null'],
  ])('is told where it is %s', async (_where, home) => {
    const run = await doctor(home, ['home']);

    expectFailure(run, 'home');
  });

  test('is told where it is below a file', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('file'), '');

    const run = await doctor(folder.at('file', 'home'), ['home']);

    expectFailure(run, 'home');
  });

  test.skipIf(!hasSandbox)('is told where it can only be read', async () => {
    await using home = temporaryFolder();
    const world = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', home.path, home.path];

    const run = await doctor(home.path, ['home'], { through: world });

    expectFailure(run, 'home');
    expect(run.stdout).toContain('can only be read');
  });

  describe.skipIf(!isRoot || !hasSandbox)('to another user', () => {
    test('is told where it belongs to somebody else', async () => {
      await using home = temporaryFolder();
      chmodSync(home.path, 0o755);

      const run = await doctor(home.path, ['home'], { through: asNobody(home.path) });

      expectFailure(run, 'home');
    });

    test('is told where somebody else keeps it closed', async () => {
      await using home = temporaryFolder();

      const run = await doctor(home.path, [], { through: asNobody(home.path) });

      expectFailure(run, 'config');
    });

    test('is told by its modes where it belongs to somebody else', async () => {
      await using home = temporaryFolder();
      chmodSync(home.path, 0o755);

      const found = await findings(home.path, ['modes'], { through: asNobody(home.path) });

      expect(found.get('modes')).toMatchObject({
        state: 'failed',
        says: expect.stringContaining('belongs to somebody else'),
      });
    });
  });

  test('is told where its path is too long for a socket', async () => {
    await using folder = temporaryFolder();

    const run = await doctor(folder.at('x'.repeat(100)), ['home']);

    expectFailure(run, 'home');
    expect(run.stdout).toContain('too long');
  });

  test('is told where a name on its path is longer than any may be', async () => {
    await using folder = temporaryFolder();

    const run = await doctor(folder.at('x'.repeat(300)));

    expect(run.code).toBe(exitCodeOf('doctor.failed'));
    expect(run.stdout + run.stderr).not.toMatch(stackLine);
  });
});

describe('a home that "aos up" would refuse', () => {
  const spoiled: readonly (readonly [string, (home: string) => void])[] = [
    [
      'a .lock that is none',
      (home) => writeFileSync(join(home, '.lock'), 'pid 4242', { mode: 0o600 }),
    ],
    ['a .lock that is a symlink', (home) => symlinkSync('/dev/null', join(home, '.lock'))],
    ['a .lock that is a folder', (home) => mkdirSync(join(home, '.lock'), { mode: 0o700 })],
    ...['run', 'keys', 'logs', 'agents'].map((name): [string, (home: string) => void] => [
      `${name} as a symlink`,
      (home) => symlinkSync('elsewhere', join(home, name)),
    ]),
    [
      'run/agents as a symlink',
      (home) => {
        mkdirSync(join(home, 'run'), { mode: 0o700 });
        symlinkSync('elsewhere', join(home, 'run', 'agents'));
      },
    ],
    [
      'a daemon.log that is no file',
      (home) => mkdirSync(join(home, 'logs', 'daemon.log'), { recursive: true, mode: 0o700 }),
    ],
  ];
  const names = spoiled.map(([what]) => what);
  const triedByUp = new Set(cases('refused by aos up', names, 3));

  test.each(spoiled)('is told, and not changed: %s', async (what, spoil) => {
    await using home = temporaryFolder();
    spoil(home.path);
    const before = readdirSync(home.path);

    const run = await doctor(home.path, ['home']);
    const after = readdirSync(home.path);

    expectFailure(run, 'home');
    expect(after).toEqual(before);
    if (!triedByUp.has(what)) return;
    const up = await runAos(['--home', home.path, ...anyDisk, 'up', '--port', '0']);
    // Not null either, as of one that had to be killed.
    expect(up.code).toBeGreaterThan(0);
  });
});

test('a foreign file in a home that is ours is a warning, and so it is while a daemon has it', async () => {
  await using home = temporaryFolder();
  await runAos(['--home', home.path, 'register', 'jean']);
  writeFileSync(home.at('.DS_Store'), 'x');

  const found = await findings(home.path);
  await using daemon = await startDaemon(home.path);
  const held = await doctor(home.path, ['home']);

  expect(held).toMatchObject({ code: 0, stderr: '' });
  expect(found.get('home')).toMatchObject({
    state: 'warning',
    says: expect.stringContaining('.DS_Store'),
  });
  expect(found.get('modes')).toMatchObject({ state: 'ok' });
  expect(await daemon.client.status()).toMatchObject({ role: 'owner' });
});

describe('modes that are too open', () => {
  test.each<readonly [string, (home: string) => void]>([
    ['the home', (home) => chmodSync(home, 0o755)],
    ['a file in it', (home) => writeFileSync(join(home, 'ledger.db'), '', { mode: 0o644 })],
    [
      'a key',
      (home) => {
        mkdirSync(join(home, 'keys'), { mode: 0o700 });
        writeFileSync(join(home, 'keys', 'signing'), '', { mode: 0o640 });
      },
    ],
  ])('are mended by exactly the command that is printed: %s', async (_what, open) => {
    await using folder = temporaryFolder();
    // A name that needs care in a shell.
    const home = folder.at("a 'home' $HOME");
    mkdirSync(home, { mode: 0o700 });
    open(home);
    const before = (await findings(home, ['modes'])).get('modes');

    const mended = await runProgram('bash', ['-c', before?.fix ?? 'false']);

    expect(before).toMatchObject({ state: 'failed', says: expect.stringContaining('is open to') });
    expect(mended).toMatchObject({ code: 0, stderr: '' });
    expect((await findings(home, ['modes'])).get('modes')?.state).toBe('ok');
  });

  test('fail the examination with the chmod command', async () => {
    await using home = temporaryFolder();
    chmodSync(home.path, 0o750);

    const run = await doctor(home.path, ['modes']);

    expectFailure(run, 'modes');
    expect(run.stdout).toContain(`try: chmod -R go-rwx ${home.path}`);
  });

  test('are told where the home is a symlink to an open folder', async () => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('open'));
    chmodSync(folder.at('open'), 0o755);
    symlinkSync('open', folder.at('home'));

    const run = await doctor(folder.at('home'), ['modes']);

    expectFailure(run, 'modes');
  });
});

describe.skipIf(!hasSandbox)('the sandbox', () => {
  test('is told with what holds programs to their limits, and leaves no trace', async () => {
    await using home = temporaryFolder();
    mkdirSync(home.at('run'), { mode: 0o700 });

    const run = await doctor(home.path, ['sandbox']);

    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(
      /^(?:ok|warning) +sandbox +programs are isolated by \S+bwrap and held by (?:control groups|rlimits): /,
    );
    expect(readdirSync(home.at('run'))).toEqual([]);
  });

  test('without bubblewrap is told with the command that installs it', async () => {
    await using home = temporaryFolder();

    const run = await doctor(home.path, ['sandbox'], { through: bareWorld(home.path) });

    expectFailure(run, 'sandbox');
    expect(run.stdout).toContain('bubblewrap is not installed');
    expect(run.stdout).toContain('try: sudo apt-get install bubblewrap');
  });

  // Each tells a version that is new enough, so that it is tried.
  const version = '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit 0\n';

  test.each([
    ['runs nothing', `${version}exit 42\n`],
    ['says nothing', '#!/bin/sh\nexit 1\n'],
    ['is too old', '#!/bin/sh\necho bubblewrap 0.7.0\n'],
    ['is no program', ''],
  ])('whose bubblewrap %s is not taken for one', async (_what, content) => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('bwrap'), content, { mode: 0o755 });
    mkdirSync(folder.at('home'), { mode: 0o700 });
    const world = ['bwrap', '--dev-bind', '/', '/'];

    const run = await doctor(folder.at('home'), ['sandbox'], {
      through: [...world, '--ro-bind', folder.at('bwrap'), '/usr/bin/bwrap'],
    });

    expectFailure(run, 'sandbox');
    expect(readdirSync(folder.at('home'))).toEqual([]);
  });

  test('whose bubblewrap may not be run is told without words of the system', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('bwrap'), '', { mode: 0o644 });
    const world = ['bwrap', '--dev-bind', '/', '/'];

    const run = await doctor(folder.at('home'), ['sandbox'], {
      through: [...world, '--ro-bind', folder.at('bwrap'), '/usr/bin/bwrap'],
    });

    expectFailure(run, 'sandbox');
    expect(run.stdout).not.toMatch(/spawnSync|EACCES/);
  });
});

test.each(cases('no sweep', ['/', '/usr'], 1))(
  'no command is printed that would sweep through %s',
  async (home) => {
    const run = await doctor(home);

    expectFailure(run, 'home');
    expect(run.stdout).not.toMatch(/chmod|chown/);
    expect(run.stdout).toContain('choose a folder of its own');
  },
);

test('broken settings are the one failure, and what needs them is skipped', async () => {
  await using home = temporaryFolder();
  writeFileSync(home.at('config.json'), '{"diskWarnPercnt": 70}', { mode: 0o600 });

  const run = await doctor(home.path);

  expectFailure(run, 'config');
  expect(run.stdout).toContain('Did you mean "diskWarnPercent"?');
  expect(run.stdout.match(/^skipped/gm)).toHaveLength(checkNames.length - 3);
  expect(run.stdout).toMatch(/^(?:ok|warning) +sandbox/m);
});

test.skipIf(!hasSandbox)('a disk that is full is told with how full it is', async () => {
  await using home = temporaryFolder();
  const fill = 'head -c 99999 /dev/zero > "$0/big" 2>/dev/null; exec "$@"';

  const run = await doctor(home.path, ['disk'], {
    through: [
      ...['bwrap', '--dev-bind', '/', '/', '--size', '65536', '--tmpfs', home.path],
      ...['bash', '-c', fill, home.path],
    ],
  });

  expectFailure(run, 'disk');
  expect(run.stdout).toContain('100 % of the disk');
});

test('a clock that went back is a warning, and no failure', async () => {
  await using home = temporaryFolder();
  const tomorrow = new Date(Date.now() + dayMs);
  writeFileSync(home.at('written-tomorrow'), '', { mode: 0o600 });
  utimesSync(home.at('written-tomorrow'), tomorrow, tomorrow);

  const run = await doctor(home.path, ['clock']);

  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(/^warning +clock .+ it went back\n +try: .+\n$/);
});

test('doctor leaves nothing behind in the home of the user and the temporary folder', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('user'));
  mkdirSync(folder.at('tmp'));

  await runAos(['doctor'], { env: { HOME: folder.at('user'), TMPDIR: folder.at('tmp') } });

  expect(readdirSync(folder.path, { recursive: true }).sort()).toEqual(['tmp', 'user']);
});
