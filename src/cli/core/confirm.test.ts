import { describe, expect, test } from 'vitest';
import { askingAt, confirm } from './confirm.ts';

/** Somebody whose keys arrive in these parts. */
function asker(...parts: readonly string[]) {
  const asked: string[] = [];
  const terminal = {
    out: () => {},
    err: (text: string) => void asked.push(text),
    ...{ colorOut: false, colorErr: false, columns: 80 },
    input: {
      isTerminal: true,
      read: async function* () {
        for (const part of parts) yield Buffer.from(part);
      },
    },
  };
  return { asked, terminal, signal: new AbortController().signal };
}

describe('confirm()', () => {
  test.each(['y\n', 'Y\n', 'yes\n', ' YES \n', 'y'])('takes %j for a yes', async (typed) => {
    expect(await confirm(asker(typed), 'Do it?')).toBe(true);
  });

  test.each(['n\n', '\n', '', 'yy\n', 'no yes\n', 'y\u0000\n'])(
    'takes %j for a no',
    async (typed) => {
      expect(await confirm(asker(typed), 'Do it?')).toBe(false);
    },
  );

  test('asks on stderr', async () => {
    const somebody = asker('y\n');

    await confirm(somebody, 'Do it?');

    expect(somebody.asked).toEqual(['Do it? [y/N] ']);
  });
});

describe('askingAt()', () => {
  test('keeps what was typed ahead for the next question', async () => {
    using questions = askingAt(asker('y\nn\ny\n'));

    const answers = [
      await questions.confirm('One?'),
      await questions.confirm('Two?'),
      await questions.confirm('Three?'),
    ];

    expect(answers).toEqual([true, false, true]);
  });

  test('takes the end of what is typed for a no, to every question that follows', async () => {
    using questions = askingAt(asker('y'));

    const answers = [await questions.confirm('One?'), await questions.confirm('Two?')];

    expect(answers).toEqual([true, false]);
  });

  test('puts together an answer that comes in parts', async () => {
    using questions = askingAt(asker('y', 'es', '\n'));

    expect(await questions.confirm('One?')).toBe(true);
  });
});
