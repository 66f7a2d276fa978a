import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FilesHome, filesHome } from '../support/files-home.ts';
import type { Run } from '../support/run-aos.ts';
import { cases, isFull } from '../support/tier.ts';
import { until } from '../support/until.ts';

const moveOld = 'Move everything in my Downloads folder older than 30 days to Archive';

function planIn({ stderr }: Run): string {
  return /--plan ([0-9a-f]{64})/.exec(stderr)?.[1] ?? '';
}

const isThere = ({ root }: FilesHome, path: string) => existsSync(join(root, path));

let home: FilesHome;
/** Where no daemon is. */
let alone: FilesHome;

beforeAll(async () => {
  home = await filesHome({ agents: ['jean', 'sam'] });
  alone = await filesHome({ withDaemon: false });
  await alone.aos('register', 'somebody');
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await alone?.[Symbol.asyncDispose]();
});

describe('a yes at the terminal', () => {
  test('does what the plan says, and an undo brings back every name, mode and time', async () => {
    const before = await home.hash();

    const done = await home.program.typed(['y'], 'files', moveOld);
    const between = await home.hash();
    const moved = isThere(home, 'Archive/setup-1.zip');
    const undone = await home.program.typed(['y'], 'files', 'undo');

    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\[y\/N\] .*Moved 2\d files/),
    });
    expect({ moved, changed: between !== before }).toEqual({ moved: true, changed: true });
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('Took back') });
    expect(await home.hash()).toBe(before);
  });

  test.each(['n', '', 'yess', 'Y E S'])('is not %j', async (line) => {
    const before = await home.hash();

    const run = await home.typed([line], 'files', moveOld);

    expect(run.code).toBe(5);
    expect(run.stdout).toContain('Nothing was done, because you did not say yes');
    expect(await home.hash()).toBe(before);
  });

  test('is one for several paths', async () => {
    const paths = [home.put('Desktop/one.txt'), home.put('new/two.txt')];

    const run = await home.typed(['y'], 'files', 'delete', ...paths);

    expect(run.code).toBe(0);
    expect(run.stdout.match(/\[y\/N\]/g)).toHaveLength(1);
    expect(paths.filter((path) => isThere(home, path))).toEqual([]);
  });

  test('is wanted twice for what is deleted for ever', async () => {
    const path = home.put('Downloads/for-ever.txt');

    const once = await home.typed(['y', 'n'], 'files', 'delete', path, '--permanent');
    const wasKept = isThere(home, path);
    const twice = await home.typed(['y', 'y'], 'files', 'delete', path, '--permanent');

    expect({ code: once.code, wasKept }).toEqual({ code: 5, wasKept: true });
    expect(twice.code).toBe(0);
    expect(twice.stdout).toContain('This is the last question');
    expect(isThere(home, path)).toBe(false);
  });

  test('is asked for in words that no name of a file can change', async () => {
    const path = 'Documents/Odd/red\u001b[31m.txt';

    const run = await home.program.typed(['n'], 'files', 'delete', path);

    expect(run.stdout).toContain('red\\u001b[31m.txt');
    expect(run.stdout).not.toContain('\u001b[31m');
  });
});

describe('--yes --plan', () => {
  test('does what was shown', async () => {
    const plan = planIn(await home.aos('files', moveOld));

    const run = await home.aos('files', moveOld, '--yes', '--plan', plan);
    const moved = isThere(home, 'Archive/setup-1.zip');
    // For the next test, which finds them where they were.
    await home.aos('files', 'undo', '--yes');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Moved 2\d files/) });
    expect(moved).toBe(true);
    expect(isThere(home, 'Downloads/setup-1.zip')).toBe(true);
  });

  test('does nothing when the files are others by now', async () => {
    const path = home.put('Downloads/other-by-now.txt');
    const plan = planIn(await home.aos('files', 'delete', path));
    writeFileSync(join(home.root, path), 'something else');
    const before = await home.hash();

    const run = await home.json('files', 'delete', path, '--yes', '--plan', plan);

    expect(run).toMatchObject({ ok: false, error: { code: 'files.plan-changed' } });
    expect(await home.hash()).toBe(before);
  });

  test('does nothing for another hash', async () => {
    const before = await home.hash();

    const run = await home.aos('files', moveOld, '--yes', '--plan', '0'.repeat(64));

    expect(run.code).toBe(5);
    expect(run.stderr).toContain('which --plan does not name');
    expect(await home.hash()).toBe(before);
  });

  test.each([[['--yes']], [['--plan', '0'.repeat(64)]]])('need each other: %j', async (flags) => {
    const before = await home.hash();

    const run = await home.aos('files', moveOld, ...flags);

    expect(run.code).toBe(2);
    expect(await home.hash()).toBe(before);
  });

  test('answers both questions about what is deleted for ever', async () => {
    const path = home.put('Downloads/both-questions.txt');
    const words = ['files', 'delete', path, '--permanent'] as const;
    const plan = planIn(await home.aos(...words));

    const run = await home.aos(...words, '--yes', '--plan', plan);

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Deleted for ever/) });
    expect(isThere(home, path)).toBe(false);
  });

  test('names the one plan of several paths', async () => {
    const paths = [home.put('Downloads/plan-1.txt'), home.put('Desktop/plan-2.txt')];
    const words = ['files', 'delete', ...paths];
    const asked = await home.aos(...words);
    const plans = [...asked.stderr.matchAll(/--plan ([0-9a-f]{64})/g)].map(([, plan = '']) => plan);

    const other = await home.aos(...words, '--yes', '--plan', '0'.repeat(64));
    const wasKept = paths.every((path) => isThere(home, path));
    const whole = await home.aos(...words, '--yes', ...plans.flatMap((plan) => ['--plan', plan]));

    expect({ code: other.code, wasKept }).toEqual({ code: 5, wasKept: true });
    expect(plans).toHaveLength(1);
    expect(whole.code).toBe(0);
    expect(paths.filter((path) => isThere(home, path))).toEqual([]);
  });
});

describe('--json', () => {
  test('of a change that needs a yes has the answer in the details, without its token', async () => {
    const { error } = await home.json('files', moveOld);

    expect(error).toMatchObject({
      code: 'files.confirmation-required',
      details: { status: 'confirmation_required', result: { plan: expect.any(String) } },
    });
    expect(error?.details).not.toHaveProperty('confirmation_token');
  });

  test('asks nobody, also at a terminal', async () => {
    const run = await home.typed(['y'], 'files', moveOld, '--json');

    expect(run.code).toBe(5);
    expect(run.stdout).not.toContain('[y/N]');
  });
});

describe('an action on one file', () => {
  test('that takes nothing away is done at once', async () => {
    const run = await home.aos('files', 'rename', home.put('at-once/scan'), 'contract.pdf');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Renamed 1 file/) });
    expect(isThere(home, 'at-once/contract.pdf')).toBe(true);
  });

  test('that would replace another one is asked for', async () => {
    const before = await home.hash();

    const run = await home.aos('files', 'write', 'Documents/notes.md', 'gone');

    expect(run.code).toBe(5);
    expect(await home.hash()).toBe(before);
  });

  test('writes what is piped in, byte by byte', async () => {
    const latin = Buffer.from('caf\xe9\n', 'latin1');

    const run = await home.piped(latin, 'files', 'write', 'piped/latin.txt');

    expect(run.code).toBe(0);
    expect(readFileSync(join(home.root, 'piped/latin.txt'))).toEqual(latin);
  });
});

describe('the trash', () => {
  test('gives back what was deleted, by where it was', async () => {
    await home.typed(['y'], 'files', 'delete', home.put('Downloads/given-back'));

    const listed = await home.aos('files', 'trash');
    const run = await home.aosIn(join(home.root, 'Downloads'), 'files', 'restore', 'given-back');

    expect(listed.stdout).toContain('~/Downloads/given-back');
    expect(run.code).toBe(0);
    expect(isThere(home, 'Downloads/given-back')).toBe(true);
  });

  test('does not have what was never there', async () => {
    const { error } = await home.json('files', 'restore', 'Downloads/nothing');

    expect(error?.code).toBe('files.not-in-trash');
  });
});

describe('undo', () => {
  test('is not done where nobody can be asked', async () => {
    await home.aos('files', 'rename', home.put('unasked/scan'), 'contract.pdf');

    const run = await home.aos('files', 'undo');

    expect(run.code).toBe(5);
    expect(run.stderr).toMatch(/ {2}try: aos files undo [0-9a-f]{32} --yes\n/);
    expect(isThere(home, 'unasked/contract.pdf')).toBe(true);
  });

  test('with --dry-run only says what would come back', async () => {
    await home.aos('files', 'rename', home.put('dry/scan'), 'contract.pdf');
    const before = await home.hash();

    const run = await home.aos('files', 'undo', '--dry-run');

    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Would take back 1 step'),
    });
    expect(await home.hash()).toBe(before);
  });
});

describe('an agent', () => {
  test('gets an approval where the owner is asked, and its change waits for that', async () => {
    const path = home.put('asked/scan');
    await home.aos('cap', 'grant', 'sam', `file:${home.root}/asked/**:read,move,delete`);

    const run = await home.aos('files', 'delete', path, '--as', 'sam');
    const waited = isThere(home, path);
    const id = /aos approvals approve ([0-9a-f]+)/.exec(run.stderr)?.[1] ?? '';
    const approved = await home.aos('approvals', 'approve', id, '--yes');

    expect({ code: run.code, waited }).toEqual({ code: 5, waited: true });
    expect(approved.code).toBe(0);
    expect(isThere(home, path)).toBe(false);
  });

  test('may not say yes itself', async () => {
    const run = await home.aos(
      ...['files', 'delete', 'Downloads/scan', '--as', 'jean', '--yes', '--plan', '0'.repeat(64)],
    );

    expect(run.code).toBe(2);
    expect(isThere(home, 'Downloads/scan')).toBe(true);
  });

  test('sees nothing that it has no grant for', async () => {
    const { error } = await home.json('files', 'read', 'Documents/notes.md', '--as', 'jean');

    expect(error?.code).toBe('files.permission-denied');
  });
});

test('without a daemon an undo has nothing to do, and a change and its undo are the same', async () => {
  const before = await alone.hash();

  const nothing = await alone.json('files', 'undo', '--yes');
  const done = await alone.program.typed(['y'], 'files', moveOld);
  const moved = isThere(alone, 'Archive/setup-1.zip');
  const undone = await alone.program.aos('files', 'undo', '--yes');

  expect(nothing.error?.code).toBe('files.unknown-plan');
  expect(done.stdout).toMatch(/\[y\/N\] .*Moved 2\d files/);
  expect(moved).toBe(true);
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('Took back') });
  expect(await alone.hash()).toBe(before);
});

const stops = [
  ['SIGINT', 'with a daemon'],
  ...cases('stops', [['SIGINT'], ['SIGTERM'], ['SIGHUP']] as const, 1).map(
    ([signal]) => [signal, 'without one'] as const,
  ),
] as const;

function watched(folder: string): FSWatcher & Disposable {
  const watcher = watch(folder);
  return Object.assign(watcher, { [Symbol.dispose]: () => watcher.close() });
}

describe.each(stops)('%s, %s,', (signal, how) => {
  // So many that it is not over before it is told to stop.
  const many = isFull ? 2000 : 300;
  const wanted = { state: 'stopped', can_undo: false };

  test('stops a change between two files, and nothing goes on with it later', async () => {
    const { root, program, aos, json } = how === 'without one' ? alone : home;
    rmSync(join(root, 'many'), { recursive: true, force: true });
    mkdirSync(join(root, 'many'));
    for (let n = 0; n < many; n++) writeFileSync(join(root, 'many', `${n}.txt`), String(n));
    const left = () => readdirSync(join(root, 'many')).length;
    const deletion = ['files', 'delete', 'many/*', '--permanent'] as const;
    const asked = await aos(...deletion);

    const stopped = await stoppedOnceBegun(
      program.command(...deletion, '--yes', '--plan', planIn(asked)),
    );
    await until(async () => {
      expect((await json('files', 'plans')).data).toMatchObject({
        result: { plans: expect.arrayContaining([expect.objectContaining(wanted)]) },
      });
    });
    const after = left();
    const looked = await aos('files', 'trash');

    expect(stopped).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('How far it came: aos files plans'),
    });
    expect(looked.code).toBe(0);
    expect({ some: after > 0 && after < many, now: left() }).toEqual({ some: true, now: after });

    /** Once a file is gone, it is told to stop. */
    async function stoppedOnceBegun([file = '', ...args]: readonly string[]) {
      const child = spawn(file, args, {
        ...{ cwd: root, env: { ...process.env, ...program.env } },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const ended = once(child, 'close');
      using watching = watched(join(root, 'many'));
      await once(watching, 'change');
      child.kill(signal);
      const [code] = await ended;
      return { code, stderr };
    }
  });
});
