import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode, exitCodeOf } from '../../src/kernel/errors.ts';
import { aosHere } from '../support/aos-here.ts';
import { type FilesHome, filesHome } from '../support/files-home.ts';

// One for all: what changes a file has one of its own.
let home: FilesHome;

beforeAll(async () => {
  home = await filesHome();
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

describe('a dry run', () => {
  test.each<readonly [string, ...string[]]>([
    ['list', 'Downloads'],
    ['read', 'Documents/notes.md'],
    ['write', 'Documents/notes.md', 'other words'],
    ['move', 'Downloads/*.zip', 'Archive/'],
    ['rename', 'Pictures/Holiday 2026/*.jpg', '{taken}{ext}'],
    ['copy', 'Desktop', 'Archive/'],
    ['delete', 'Downloads/scan'],
    ['search', 'invoice', 'Documents'],
    ['info', 'Downloads/report.pdf'],
    ['usage', 'Pictures'],
  ])('of %s touches nothing', async (action, ...words) => {
    const before = await home.hash();

    const run = await home.aos('files', action, ...words, '--dry-run');

    expect(run.code).toBe(0);
    expect(await home.hash()).toBe(before);
  });

  test('of a sentence says what would happen, on stdout', async () => {
    const run = await home.aos('files', 'Move all zip files in Downloads to Archive', '--dry-run');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nWould move 13 files/) });
  });
});

describe('list', () => {
  test('means the current folder where none is named', async () => {
    const run = await home.aosIn(join(home.root, 'Videos'), 'files', 'list');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('wedding.mp4') });
  });

  test('takes what files are meant', async () => {
    const run = await home.aos(
      ...['files', 'list', 'Videos', '--larger', '100k', '--type', 'video/*', '--sort', 'size'],
    );

    expect(run.stdout).toMatch(/^wedding\.mp4 .*\n$/);
  });

  test('shows names that would move the cursor spelt out, each on one line', async () => {
    const run = await home.aos('files', 'list', 'Documents/Odd');

    expect(run.stdout).toContain('two\\u000alines.txt');
    expect(run.stdout).toContain('red\\u001b[31m.txt');
    expect(run.stdout).not.toMatch(/[\u001b\u202e]/);
  });

  test('tells what could not be looked at', async () => {
    const run = await home.aos('files', 'list', 'Documents', '-r');

    expect(run.code).toBe(0);
    expect(run.stderr).toContain('could not be looked at');
  });

  test('knows the names of the interface too', async () => {
    const runs = [
      await home.aos('files', 'list_files', 'Videos'),
      await home.aos('files', 'list-files', 'Videos'),
    ];

    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  });
});

describe('read', () => {
  test('hands on a text as it is', async () => {
    const run = await home.program.aos('files', 'read', 'Documents/notes.md');

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe('# Notes\n\n- call the dentist\n- buy café crème\n');
  });

  test('says of what is no text what it is', async () => {
    const { error } = await home.json('files', 'read', 'Downloads/letter.doc');
    const run = await home.aos('files', 'read', 'Downloads/letter.doc');

    expect(error).toBeUndefined();
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('PNG image') });
  });
});

test('info tells what a file is, a line each', async () => {
  const run = await home.aos('files', 'info', 'Pictures/Holiday 2026/DSC_0001.jpg');

  expect(run.stdout).toMatch(/^name +DSC_0001\.jpg$/m);
  expect(run.stdout).toMatch(/^type +JPEG image$/m);
  expect(run.stdout).toMatch(/^taken +1 July 2026, 08:00$/m);
});

describe('search', () => {
  test('tells why a file was found, and by which line', async () => {
    const run = await home.aos('files', 'search', 'Ahmed plumbing', 'Documents');

    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/line 2: From: Ahmed Khalil, Plumbing/);
  });

  test('takes an index where there is one', async () => {
    const made = await home.aos('files', 'index', 'Documents');
    const listed = await home.aos('files', 'indexes');
    const { data } = await home.json('files', 'search', 'Ahmed', 'Documents');
    const dropped = await home.aos('files', 'unindex', 'Documents');

    expect([made.code, listed.code, dropped.code]).toEqual([0, 0, 0]);
    expect(listed.stdout).toContain('~/Documents');
    expect(data).toMatchObject({ result: { searched_by: 'index' } });
  });
});

describe('run', () => {
  test('takes the request of the interface, and prints its answer', async () => {
    const request = { action: 'list_files', path: '~/Videos', filters: { type: 'mp4' } };

    const run = await home.aos('files', 'run', '--args', JSON.stringify(request));

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: 'success',
      action_performed: expect.any(String),
      result: { files: expect.any(Array) },
      metadata: { files_affected: 9, duration_ms: expect.any(Number) },
    });
  });

  test('gives the owner a token, and does it with that', async () => {
    const request = { action: 'delete_file', path: '~/Desktop/To do.md' };

    const asked = await home.aos('files', 'run', '--args', JSON.stringify(request));
    const { confirmation_token } = JSON.parse(asked.stdout);
    const again = { ...request, options: { confirmation_token } };
    const done = await home.aos('files', 'run', '--args', JSON.stringify(again));

    expect(asked.code).toBe(5);
    expect(done.code).toBe(0);
  });

  test('does not take the flag of the interface for a yes', async () => {
    const before = await home.hash();
    const options = { confirm_required: false };
    const request = { action: 'delete_file', path: '~/Downloads/scan', options };

    const run = await home.aos('files', 'run', '--args', JSON.stringify(request));

    expect(run.code).toBe(5);
    expect(await home.hash()).toBe(before);
  });
});

describe('a refusal ends with the exit code of its table:', () => {
  test.each<readonly [ErrorCode, readonly string[]]>([
    ['files.not-found', ['read', 'nothing.txt']],
    ['files.outside-root', ['read', '/etc/passwd']],
    ['files.outside-root', ['read', '../../../../etc/passwd']],
    ['files.is-a-folder', ['read', 'Downloads']],
    ['files.permission-denied', ['read', 'Documents/sealed.txt']],
    ['files.no-index', ['unindex', 'Documents']],
    ['files.unknown-plan', ['undo', 'ffff', '--yes']],
    ['files.protected', ['delete', '~']],
    ['usage.bad-value', ['list', '--after', 'yesterday']],
    ['usage.bad-value', ['list', '--larger', 'huge']],
    ['usage.bad-value', ['run', '--args', '{']],
    ['usage.missing-argument', ['move', 'Downloads/scan']],
    ['usage.unknown-option', ['list', '--biggest']],
  ])('%s for %j', async (code, words) => {
    const run = await home.aos('files', ...words, '--json');

    expect(JSON.parse(run.stdout).error.code).toBe(code);
    expect(run.code).toBe(exitCodeOf(code));
  });
});

describe('the help', () => {
  test.each([
    ...['list', 'read', 'search', 'info', 'usage', 'write', 'move', 'rename', 'copy', 'delete'],
    ...['undo', 'plans', 'trash', 'restore', 'index', 'indexes', 'unindex', 'run'],
  ])('of %s has an example', async (name) => {
    const run = await aosHere(['files', name, '--help']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/\nExamples?:\n {2}aos files |\| aos files /);
  });

  test('says how a sentence and an action are told apart, and what --yes needs', async () => {
    const run = await aosHere(['files', '--help']);

    expect(run.stdout).toContain('word that is one of the commands is that command');
    expect(run.stdout).toContain('--yes --plan HASH');
  });
});
