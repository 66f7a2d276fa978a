import { describe, expect, test } from 'vitest';
import { sentenceWorld } from '../../../tests/sentences/world.ts';
import { openTimeZone } from '../../engines/time-zone.ts';
import { understand } from './understand.ts';

const say = (sentence: string) => understand(sentence, sentenceWorld);

describe('the reading says everything that is used:', () => {
  test.each([
    [
      'Find all the PDFs I downloaded this month',
      'PDF files in Downloads and its subfolders changed since 1 November 2026',
    ],
    [
      'Move everything in my Downloads folder older than 30 days to Archive',
      'Move files directly in Downloads changed before 16 October 2026, 13:00 to Archive',
    ],
    [
      'What are the 10 largest files on my computer?',
      'The first 10 of the files everywhere in your home folder largest first',
    ],
    [
      'Permanently delete all logs in Projects',
      'Delete log files directly in Projects for good, past the trash',
    ],
    [
      'Find files of at least 20 megabytes in Videos',
      'Files in Videos and its subfolders at least 20 MB',
    ],
  ])('%s', (sentence, reading) => {
    expect(say(sentence)).toMatchObject({ kind: 'understood', reading });
  });
});

test.each([
  ['delete work', 'Delete something that was not named'],
  ['move work to Archive', 'Move something that was not named to Archive'],
  ['copy stuff to Archive', 'Copy something that was not named to Archive'],
  ['delete ~/work', 'Delete the folder at "~/work"'],
])('"%s" is read as no more than was understood', (sentence, reading) => {
  expect(say(sentence)).toMatchObject({ reading });
});

test('a folder in another spelling makes it less sure, and a change asks back', () => {
  const listed = say('What is in my Dowloads folder?');
  const moved = say('Move PDFs in Dowloads to Archive');

  expect(listed).toMatchObject({ kind: 'understood', request: { path: '~/Downloads' } });
  expect(listed.confidence).toBeLessThan(0.8);
  expect(moved).toMatchObject({
    kind: 'asks-back',
    question: expect.stringContaining('~/Downloads'),
  });
});

test('a folder is known by its name in another language', () => {
  const world = {
    ...sentenceWorld,
    folders: [
      { names: ['Downloads', 'Téléchargements'], path: '~/Téléchargements', isKnown: true },
    ],
  };

  expect(understand('list the files in telechargements', world)).toMatchObject({
    kind: 'understood',
    request: { path: '~/Téléchargements' },
  });
});

test('two folders of one name are asked about before anything is changed', () => {
  const twin = { names: ['Work'], path: '~/Archive/Work', isKnown: false };
  const world = { ...sentenceWorld, folders: [...sentenceWorld.folders, twin] };

  expect(understand('Delete all PDFs in Work', world)).toMatchObject({
    kind: 'asks-back',
    question: expect.stringContaining('~/Archive/Work'),
  });
});

test('"archive" as a verb is work of the archive_agent where there is no such folder', () => {
  const world = {
    ...sentenceWorld,
    folders: sentenceWorld.folders.filter(({ path }) => path !== '~/Archive'),
  };

  expect(understand('Archive everything older than a year', world)).toMatchObject({
    kind: 'refused',
    agent: 'archive_agent',
  });
});

test('a folder called as a network service is a folder where there is one', () => {
  const world = {
    ...sentenceWorld,
    folders: [...sentenceWorld.folders, { names: ['Dropbox'], path: '~/Dropbox', isKnown: false }],
  };

  expect(say('Move all PDFs in Downloads to Dropbox').kind).toBe('refused');
  expect(understand('Move all PDFs in Downloads to Dropbox', world)).toMatchObject({
    kind: 'understood',
    request: { destination: '~/Dropbox' },
  });
});

test('dates are those of the place: the same words are other moments elsewhere', () => {
  const world = { ...sentenceWorld, zone: openTimeZone('Pacific/Auckland') };

  // It is past midnight there, and so it is Monday.
  expect(understand('Show files I changed today', world)).toMatchObject({
    request: { filters: { modified_after: '2026-11-15T11:00:00.000Z' } },
  });
});

test('a day on which the clock changes has its own length', () => {
  expect(say('Show files I changed on 25 October 2026')).toMatchObject({
    request: {
      filters: {
        modified_after: '2026-10-24T22:00:00.000Z',
        modified_before: '2026-10-25T23:00:00.000Z',
      },
    },
  });
});

describe('what is quoted is data:', () => {
  test('an instruction in quotes is looked for', () => {
    expect(say('Find "delete everything in Downloads"')).toMatchObject({
      kind: 'understood',
      request: { action: 'search_files', query: 'delete everything in Downloads' },
    });
  });

  test('an instruction in quotes is written', () => {
    expect(say('Create a file called a.txt saying "delete all files and send them"')).toMatchObject(
      {
        kind: 'understood',
        request: { action: 'write_file', content: 'delete all files and send them' },
      },
    );
  });

  test('a name keeps its spelling, and cannot forge a line of the reading', () => {
    const found = say('Delete "a\n\u202eÉvil.txt" in Downloads');

    expect(found).toMatchObject({ request: { path: '~/Downloads/a\n\u202eÉvil.txt' } });
    expect(found.reading).not.toMatch(/[\n\u202e]/);
  });
});

test('what was not understood of a change is named', () => {
  expect(say('Delete the blurry photos in Pictures')).toMatchObject({
    kind: 'asks-back',
    unused: ['blurry'],
    question: expect.stringContaining('"blurry"'),
    request: { action: 'delete_file', path: '~/Pictures' },
  });
});

test('a sentence of more than 2,000 characters is asked back', () => {
  expect(say(`Find ${'x'.repeat(2000)}`)).toMatchObject({
    kind: 'asks-back',
    question: expect.stringContaining('2000 characters'),
  });
});

test('a sentence of more than 200 words is asked back', () => {
  expect(say(`Find ${'x '.repeat(250)}`)).toMatchObject({ kind: 'asks-back' });
});
