import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type FilesHome, filesHome } from '../support/files-home.ts';
import type { Run } from '../support/run-aos.ts';

const moveOld = 'Move everything in my Downloads folder older than 30 days to Archive';

function planIn({ stderr }: Run): string {
  return /--plan ([0-9a-f]{64})/.exec(stderr)?.[1] ?? '';
}

const isThere = ({ root }: FilesHome, path: string) => existsSync(join(root, path));

describe('a yes at the terminal', () => {
  test('does what the plan says, and an undo brings back every name, mode and time', async () => {
    await using home = await filesHome();
    const before = await home.hash();

    const done = await home.typed(['y'], 'files', moveOld);
    const between = await home.hash();
    const moved = isThere(home, 'Archive/setup-1.zip');
    const undone = await home.typed(['y'], 'files', 'undo');

    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\[y\/N\] .*Moved 2\d files/),
    });
    expect({ moved, changed: between !== before }).toEqual({ moved: true, changed: true });
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('Took back') });
    expect(await home.hash()).toBe(before);
  });

  test.each(['n', '', 'yess', 'Y E S'])('is not %j', async (line) => {
    await using home = await filesHome();
    const before = await home.hash();

    const run = await home.typed([line], 'files', moveOld);

    expect(run.code).toBe(5);
    expect(run.stdout).toContain('Nothing was done, because you did not say yes');
    expect(await home.hash()).toBe(before);
  });

  test('is one for several paths', async () => {
    await using home = await filesHome();

    const run = await home.typed(['y'], 'files', 'delete', 'Desktop/To do.md', 'Downloads/scan');

    expect(run.code).toBe(0);
    expect(run.stdout.match(/\[y\/N\]/g)).toHaveLength(1);
    expect(isThere(home, 'Desktop/To do.md')).toBe(false);
    expect(isThere(home, 'Downloads/scan')).toBe(false);
  });

  test('is wanted twice for what is deleted for ever', async () => {
    await using home = await filesHome();

    const once = await home.typed(['y', 'n'], 'files', 'delete', 'Downloads/scan', '--permanent');
    const wasKept = isThere(home, 'Downloads/scan');
    const twice = await home.typed(['y', 'y'], 'files', 'delete', 'Downloads/scan', '--permanent');

    expect({ code: once.code, wasKept }).toEqual({ code: 5, wasKept: true });
    expect(twice.code).toBe(0);
    expect(twice.stdout).toContain('This is the last question');
    expect(isThere(home, 'Downloads/scan')).toBe(false);
  });

  test('is asked for in words that no name of a file can change', async () => {
    await using home = await filesHome();

    const run = await home.typed(['n'], 'files', 'delete', 'Documents/Odd/red\u001b[31m.txt');

    expect(run.stdout).toContain('red\\u001b[31m.txt');
    expect(run.stdout).not.toContain('\u001b[31m');
  });
});

describe('--yes --plan', () => {
  test('does what was shown', async () => {
    await using home = await filesHome();
    const plan = planIn(await home.aos('files', moveOld));

    const run = await home.aos('files', moveOld, '--yes', '--plan', plan);

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Moved 2\d files/) });
    expect(isThere(home, 'Archive/setup-1.zip')).toBe(true);
  });

  test('does nothing when the files are others by now', async () => {
    await using home = await filesHome();
    const plan = planIn(await home.aos('files', 'delete', 'Downloads/scan'));
    writeFileSync(join(home.root, 'Downloads/scan'), 'something else');
    const before = await home.hash();

    const run = await home.json('files', 'delete', 'Downloads/scan', '--yes', '--plan', plan);

    expect(run).toMatchObject({ ok: false, error: { code: 'files.plan-changed' } });
    expect(await home.hash()).toBe(before);
  });

  test('does nothing for another hash', async () => {
    await using home = await filesHome();
    const before = await home.hash();

    const run = await home.aos('files', moveOld, '--yes', '--plan', '0'.repeat(64));

    expect(run.code).toBe(5);
    expect(run.stderr).toContain('which --plan does not name');
    expect(await home.hash()).toBe(before);
  });

  test.each([[['--yes']], [['--plan', '0'.repeat(64)]]])('need each other: %j', async (flags) => {
    await using home = await filesHome();
    const before = await home.hash();

    const run = await home.aos('files', moveOld, ...flags);

    expect(run.code).toBe(2);
    expect(await home.hash()).toBe(before);
  });

  test('answers both questions about what is deleted for ever', async () => {
    await using home = await filesHome();
    const words = ['files', 'delete', 'Downloads/scan', '--permanent'] as const;
    const plan = planIn(await home.aos(...words));

    const run = await home.aos(...words, '--yes', '--plan', plan);

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Deleted for ever/) });
    expect(isThere(home, 'Downloads/scan')).toBe(false);
  });

  test('names the plan of each of several paths', async () => {
    await using home = await filesHome();
    const words = ['files', 'delete', 'Downloads/scan', 'Desktop/To do.md'] as const;
    const asked = await home.aos(...words);
    const plans = [...asked.stderr.matchAll(/--plan ([0-9a-f]{64})/g)].map(([, plan = '']) => plan);

    const half = await home.aos(...words, '--yes', '--plan', plans[0] ?? '');
    const wasKept = isThere(home, 'Downloads/scan');
    const whole = await home.aos(...words, '--yes', ...plans.flatMap((plan) => ['--plan', plan]));

    expect({ code: half.code, wasKept }).toEqual({ code: 5, wasKept: true });
    expect(whole.code).toBe(0);
    expect(isThere(home, 'Desktop/To do.md')).toBe(false);
  });
});

describe('--json', () => {
  test('of a change that needs a yes has the answer in the details, without its token', async () => {
    await using home = await filesHome();

    const { error } = await home.json('files', moveOld);

    expect(error).toMatchObject({
      code: 'files.confirmation-required',
      details: { status: 'confirmation_required', result: { plan: expect.any(String) } },
    });
    expect(error?.details).not.toHaveProperty('confirmation_token');
  });

  test('asks nobody, also at a terminal', async () => {
    await using home = await filesHome();

    const run = await home.typed(['y'], 'files', moveOld, '--json');

    expect(run.code).toBe(5);
    expect(run.stdout).not.toContain('[y/N]');
  });
});

describe('an action on one file', () => {
  test('that takes nothing away is done at once', async () => {
    await using home = await filesHome();

    const run = await home.aos('files', 'rename', 'Downloads/scan', 'contract.pdf');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Renamed 1 file/) });
    expect(isThere(home, 'Downloads/contract.pdf')).toBe(true);
  });

  test('that would replace another one is asked for', async () => {
    await using home = await filesHome();
    const before = await home.hash();

    const run = await home.aos('files', 'write', 'Documents/notes.md', 'gone');

    expect(run.code).toBe(5);
    expect(await home.hash()).toBe(before);
  });

  test('writes what is piped in, byte by byte', async () => {
    await using home = await filesHome();
    const pipe = ['sh', '-c', `printf 'caf\\351\\n' | "$@"`, 'sh'];

    const run = await home.piped(pipe, 'files', 'write', 'new/latin.txt');

    expect(run.code).toBe(0);
    expect(readFileSync(join(home.root, 'new/latin.txt'))).toEqual(
      Buffer.from('caf\xe9\n', 'latin1'),
    );
  });
});

describe('the trash', () => {
  test('gives back what was deleted, by where it was', async () => {
    await using home = await filesHome();
    await home.typed(['y'], 'files', 'delete', 'Downloads/scan');

    const listed = await home.aos('files', 'trash');
    const run = await home.aosIn(join(home.root, 'Downloads'), 'files', 'restore', 'scan');

    expect(listed.stdout).toContain('~/Downloads/scan');
    expect(run.code).toBe(0);
    expect(isThere(home, 'Downloads/scan')).toBe(true);
  });

  test('does not have what was never there', async () => {
    await using home = await filesHome();

    const { error } = await home.json('files', 'restore', 'Downloads/nothing');

    expect(error?.code).toBe('files.not-in-trash');
  });
});

describe('undo', () => {
  test('is not done where nobody can be asked', async () => {
    await using home = await filesHome();
    await home.aos('files', 'rename', 'Downloads/scan', 'contract.pdf');

    const run = await home.aos('files', 'undo');

    expect(run.code).toBe(5);
    expect(run.stderr).toMatch(/ {2}try: aos files undo [0-9a-f]{32} --yes\n/);
    expect(isThere(home, 'Downloads/contract.pdf')).toBe(true);
  });

  test('with --dry-run only says what would come back', async () => {
    await using home = await filesHome();
    await home.aos('files', 'rename', 'Downloads/scan', 'contract.pdf');
    const before = await home.hash();

    const run = await home.aos('files', 'undo', '--dry-run');

    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Would take back 1 step'),
    });
    expect(await home.hash()).toBe(before);
  });

  test('has nothing to do where nothing was done', async () => {
    await using home = await filesHome();

    const { error } = await home.json('files', 'undo', '--yes');

    expect(error?.code).toBe('files.unknown-plan');
  });
});

describe('an agent', () => {
  test('gets an approval where the owner is asked, and its change waits for that', async () => {
    await using home = await filesHome('jean');
    const place = join(home.root, 'Downloads');
    await home.aos('cap', 'grant', 'jean', `file:${place}/**:read,move,delete`);

    const run = await home.aos('files', 'delete', 'Downloads/scan', '--as', 'jean');
    const waited = isThere(home, 'Downloads/scan');
    const id = /aos approvals approve ([0-9a-f]+)/.exec(run.stderr)?.[1] ?? '';
    const approved = await home.aos('approvals', 'approve', id, '--yes');

    expect({ code: run.code, waited }).toEqual({ code: 5, waited: true });
    expect(approved.code).toBe(0);
    expect(isThere(home, 'Downloads/scan')).toBe(false);
  });

  test('may not say yes itself', async () => {
    await using home = await filesHome('jean');

    const run = await home.aos(
      ...['files', 'delete', 'Downloads/scan', '--as', 'jean', '--yes', '--plan', '0'.repeat(64)],
    );

    expect(run.code).toBe(2);
    expect(isThere(home, 'Downloads/scan')).toBe(true);
  });

  test('sees nothing that it has no grant for', async () => {
    await using home = await filesHome('jean');

    const { error } = await home.json('files', 'read', 'Documents/notes.md', '--as', 'jean');

    expect(error?.code).toBe('files.permission-denied');
  });
});

describe.each([
  ...[['INT', 'with a daemon'] as const, ['INT', 'without one'] as const],
  ...[['TERM', 'without one'] as const, ['HUP', 'without one'] as const],
])('SIG%s, %s,', (signal, how) => {
  test('stops a change between two files, and nothing goes on with it later', async () => {
    await using home = await filesHome();
    const many = 2000;
    mkdirSync(join(home.root, 'many'));
    for (let n = 0; n < many; n++) writeFileSync(join(home.root, 'many', `${n}.txt`), String(n));
    const left = () => readdirSync(join(home.root, 'many')).length;
    const asked = await home.aos('files', 'delete', 'many/*', '--permanent');
    await using _daemon = {
      async [Symbol.asyncDispose]() {
        if (how === 'with a daemon') await home.aos('down');
      },
    };
    if (how === 'with a daemon') await home.aos('up', '--detach', '--port', '0');
    // Once a file is gone, it is told to stop.
    const stop = `"$@" & until [ "$(ls many | wc -l)" -lt 2000 ]; do :; done; kill -${signal} $!; wait $!`;

    const stopped = await home.piped(
      ['sh', '-c', stop, 'sh'],
      ...['files', 'delete', 'many/*', '--permanent', '--yes', '--plan', planIn(asked)],
    );
    const plans = async () => (await home.json('files', 'plans')).data;
    await vi.waitFor(async () => {
      expect(await plans()).toMatchObject({
        result: { plans: [{ state: 'stopped', can_undo: false }] },
      });
    }, 10_000);
    const after = left();
    const looked = await home.aos('files', 'trash');

    expect(stopped).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('How far it came: aos files plans'),
    });
    expect(looked.code).toBe(0);
    expect({ some: after > 0 && after < many, now: left() }).toEqual({ some: true, now: after });
  });
});
