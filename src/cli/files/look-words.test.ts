import { describe, expect, test } from 'vitest';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { lookWords } from './look-words.ts';

function words(result: object, limit?: number) {
  const metadata = { files_affected: 0, bytes_affected: 0, duration_ms: 0 };
  const answer: FileAnswer = { status: 'success', action_performed: 'Done', result, metadata };
  return lookWords(answer, { show: (path) => path, limit });
}

const file = {
  ...{ name: 'a.txt', path: '/r/a.txt', kind: 'file', size: '5 bytes', type: 'text' },
  modified: '3 November 2026, 14:05',
};

describe('lookWords()', () => {
  test('tells name, size, type, time and folder of each file', () => {
    expect(words({ files: [file] })).toEqual({
      text: 'a.txt  5 bytes  text  3 November 2026, 14:05  /r',
      notes: ['Done'],
    });
  });

  test('tells why a file was found, below it, on one line', () => {
    const line = { number: 2, text: '  From: \u001b[1mAhmed' };

    const { text } = words({ files: [{ ...file, why: ['content has "Ahmed"'], line }] });

    expect(text.split('\n')[1]).toBe('  content has "Ahmed"; line 2: From: \\u001b[1mAhmed');
  });

  test('says when a photo was taken, unless that is a guess', () => {
    const taken = '1 July 2026, 08:00';

    expect(words({ files: [{ ...file, taken }] }).text).toContain(`taken ${taken}`);
    expect(words({ files: [{ ...file, taken, taken_guessed: true }] }).text).not.toContain('taken');
  });

  test('groups what is there more than once', () => {
    const files = [file, { ...file, path: '/r/b.txt' }];

    expect(words({ duplicates: [{ size: '5 bytes', files }] }).text).toBe(
      '2 files of 5 bytes each\n  /r/a.txt\n  /r/b.txt',
    );
  });

  test('tells how much room there is taken, by folder and by type', () => {
    const by_folder = [{ path: '/r/Videos', bytes: 5, size: '5 bytes' }];
    const by_type = [{ type: 'MP4 video', files: 1, bytes: 5, size: '5 bytes' }];

    expect(words({ files: 1, by_folder, by_type }).text).toBe(
      'Done\n\n  5 bytes  /r/Videos\n\n  5 bytes  MP4 video  1 file',
    );
  });

  test('tells each field of one file', () => {
    const { text } = words({ ...file, photo: { camera: 'X100' }, modified_at: '2026' });

    expect(text).toMatch(/^photo camera {2}X100$/m);
    expect(text).not.toContain('2026\n');
  });

  test('tells of a folder what is in it, and no size of its own', () => {
    const contains = { files: 3, size: '15 bytes', apparent_bytes: 15, skipped_total: 0 };

    const { text } = words({ ...{ name: 'r', size: '', size_bytes: 4096 }, contains });

    expect(text).toBe('name            r\ncontains files  3\ncontains size   15 bytes');
  });

  test('says that it is not all, and why, on one line', () => {
    const skipped = [{ path: '/r/sealed', why: 'unreadable' }];

    const { notes } = words({
      ...{ files: [file], truncated: true, total: 5204 },
      ...{ skipped, skipped_total: 1, denied_total: 3 },
    });

    expect(notes).toEqual([
      'Done',
      'Not all 5,204 are shown: --limit N shows more. 1 thing could not be looked at, as /r/sealed (unreadable). There is more that may not be seen.',
    ]);
  });

  test('does not complain of a limit that somebody asked for', () => {
    expect(words({ files: [file], truncated: true, total: 9 }, 1).notes).toEqual(['Done']);
  });
});
