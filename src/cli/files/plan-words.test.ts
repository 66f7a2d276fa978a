import { describe, expect, test } from 'vitest';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { doneText, failedLines, planStateWords, planText } from './plan-words.ts';

function answer(result: object, action_performed = ''): FileAnswer {
  const metadata = { files_affected: 0, bytes_affected: 0, duration_ms: 0 };
  return { status: 'success', action_performed, result, metadata };
}

const show = (path: string) => path;
const plan = { plan: 'abc', files: 1, bytes: 5, steps_total: 1, replaced_total: 0, left_out: [] };

describe('planText()', () => {
  test('tells what goes where, what is made, replaced and left out', () => {
    const steps = [
      { do: 'make-folder', to: '/r/new' },
      { do: 'move', from: '/r/a', to: '/r/new/a', replaces: true },
    ];
    const left_out = [{ path: '/r/.env', why: 'it holds secrets' }];

    const text = planText(
      answer({ ...plan, steps, steps_total: 2, replaced_total: 1, left_out }),
      show,
    );

    expect(text).toBe(
      [
        '  make folder      /r/new',
        '  move, replacing  /r/a    → /r/new/a',
        '1 file, 5 bytes; 1 folder made; 1 file replaced',
        '  left out: /r/.env (it holds secrets)',
      ].join('\n'),
    );
  });

  test('calls what stays in its folder a rename, spelt out', () => {
    const steps = [{ do: 'move', from: '/r/a', to: '/r/b\u001b[31m' }];

    expect(planText(answer({ ...plan, steps }), show)).toContain('rename  /r/a  → b\\u001b[31m');
  });

  test('shows the first twenty steps, and says how many more there are in all', () => {
    const steps = Array.from({ length: 25 }, (_, index) => ({ do: 'trash', from: `/r/${index}` }));

    const text = planText(answer({ ...plan, steps, steps_total: 3000 }), show);

    expect(text.match(/trash/g)).toHaveLength(20);
    expect(text).toContain('… and 2,980 more');
  });
});

describe('doneText()', () => {
  test('says how to take it back', () => {
    const done = answer({ plan_id: '1', undo: 'aos files undo 1' }, 'Moved 1 file (5 bytes)');

    expect(doneText(done)).toBe('Moved 1 file (5 bytes). To take it back: aos files undo 1');
  });

  test('says nothing of that where there is no way back', () => {
    const done = answer({ plan_id: '1' }, 'Deleted for ever: 1 file');

    expect(doneText(done)).toBe('Deleted for ever: 1 file');
  });
});

describe('failedLines()', () => {
  test('names what failed, and what was done all the same', () => {
    const items = [
      { do: 'move', status: 'done', from: '/r/a', to: '/r/b' },
      { do: 'move', status: 'failed', from: '/r/c', error: { message: 'It was changed' } },
    ];

    expect(failedLines(answer({ plan_id: '1', items }, 'Moved 1 file'), show)).toEqual([
      'Moved 1 file',
      '  failed: /r/c: It was changed',
    ]);
  });

  test('has nothing to say where nothing was begun', () => {
    expect(failedLines({ ...answer({}), result: null }, show)).toEqual([]);
  });
});

test.each([
  [{ state: 'done', done: 2, failed: 0, can_undo: true }, 'done, can be undone'],
  [{ state: 'done', done: 0, failed: 2, can_undo: false }, 'failed'],
  [{ state: 'stopped', done: 0, failed: 1, can_undo: false }, 'failed'],
  [{ state: 'done', done: 1, failed: 2, can_undo: true }, 'done, 2 steps failed, can be undone'],
  [{ state: 'undone', done: 1, failed: 0, can_undo: false }, 'undone'],
  [{ state: 'applying', done: 0, failed: 0, can_undo: false }, 'applying'],
])('%j is called "%s"', (plan, words) => {
  expect(planStateWords(plan)).toBe(words);
});
