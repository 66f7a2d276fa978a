import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FilesHome, filesHome } from '../support/files-home.ts';

// One for all: none of these sentences changes anything.
let home: FilesHome;

beforeAll(async () => {
  home = await filesHome();
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

describe('the sentences that the file agent was made for', () => {
  test('"Find all the PDFs I downloaded this month" lists those, and no older ones', async () => {
    const run = await home.aos('files', 'Find all the PDFs I downloaded this month');

    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^Reading: PDF files in Downloads/);
    expect(run.stdout).toMatch(/^ticket-1\.pdf .* PDF document .* ~\/Downloads$/m);
    expect(run.stdout).toMatch(/^report\.pdf /m);
    expect(run.stdout).not.toContain('statement');
  });

  test('"Move everything … older than 30 days to Archive" shows the plan and waits', async () => {
    const before = await home.hash();

    const run = await home.aos('files', moveOld);

    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toMatch(/^Reading: Move files directly in Downloads/);
    expect(run.stderr).toContain('→ ~/Archive/setup-1.zip');
    expect(run.stderr).toMatch(
      / {2}try: aos files "Move .* to Archive" --yes --plan [0-9a-f]{64}\n/,
    );
    expect(await home.hash()).toBe(before);
  });

  test('"Rename all the photos from my holiday trip by date taken" plans new names', async () => {
    const run = await home.aos('files', 'Rename all the photos from my holiday trip by date taken');

    expect(run.code).toBe(5);
    expect(run.stderr).toContain('DSC_0001.jpg  → 2026-07-01 08.00.00.jpg');
    expect(run.stderr).toContain('55 files');
  });

  test('"How much space are my video files taking up?" tells how much', async () => {
    const run = await home.aos('files', 'How much space are my video files taking up?');

    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^9 files in "~" take \d+ kB .*\n/);
    expect(run.stdout).toContain('MP4 video');
  });

  test('"Find the invoice I got from Ahmed last week" has the right one first', async () => {
    const run = await home.aos('files', 'Find the invoice I got from Ahmed last week');

    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^INV-2291\.txt .* ~\/Documents\/Invoices\n {2}.*Ahmed/);
  });

  test('"Compress all the images in this folder" is named as the work of another agent', async () => {
    const run = await home.aos('files', 'Compress all the images in this folder');

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^error: .*archive_agent/);
  });

  test('"What are the 10 largest files on my computer?" lists ten, the largest first', async () => {
    const run = await home.aos('files', 'What are the 10 largest files on my computer?');

    expect(run.code).toBe(0);
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(10);
    expect(run.stdout).toMatch(/^disk\.img .*\nwedding\.mp4 /);
  });
});

const moveOld = 'Move everything in my Downloads folder older than 30 days to Archive';

describe('a sentence', () => {
  test('may be typed without quotes', async () => {
    const run = await home.aos(...'files how much space are my video files taking up'.split(' '));

    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('9 files') });
  });

  test('that begins with the name of an action is one in quotes', async () => {
    const run = await home.aos('files', 'list the files in Videos');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('wedding.mp4') });
  });

  test('without quotes that is taken for an action is told to be put in quotes', async () => {
    const run = await home.aos('files', 'list', 'my', 'PDFs');

    expect(run.code).toBe(2);
    expect(run.stderr).toContain('try: In quotes it is a sentence: aos files "list my PDFs"');
  });

  test('says "this folder" of where the command is run', async () => {
    const run = await home.aosIn(`${home.root}/Videos`, 'files', 'What files are in this folder?');

    expect(run.stdout).toContain('wedding.mp4');
    expect(run.stdout).not.toContain('~/Downloads');
  });

  test('that is not understood is asked about, and nothing is done', async () => {
    const before = await home.hash();

    const { error } = await home.json('files', 'Delete that thing from before');

    expect(error?.code).toBe('files.not-understood');
    expect(await home.hash()).toBe(before);
  });

  test('tells with --json what was made of it', async () => {
    const { ok, data } = await home.json('files', 'What do I have in Videos?');

    expect({ ok, data }).toMatchObject({
      ok: true,
      data: {
        status: 'success',
        understood: { request: { action: 'list_files', path: '~/Videos' }, by: 'rules' },
      },
    });
  });

  test('of one word is a mistyped command', async () => {
    const run = await home.aos('files', 'lst');

    expect(run.code).toBe(2);
    expect(run.stderr).toContain('Did you mean "list"?');
  });

  test('is not made of a command that stands behind its options', async () => {
    const run = await home.aos('files', '--as', 'somebody', 'list');

    expect(run.code).toBe(2);
    expect(run.stderr).toContain('The command "list" stands before its options');
  });

  test('may have its options before it', async () => {
    const run = await home.aos('files', '--dry-run', 'Move all zip files in Downloads to Archive');

    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('Would move 13 files') });
  });

  test('that asks what would happen is a dry run by itself', async () => {
    const before = await home.hash();

    const run = await home.aos(
      ...['files', 'What would happen if you moved all zip files in Downloads to Archive?'],
    );

    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('Would move 13 files') });
    expect(await home.hash()).toBe(before);
  });
});
