import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readQuery } from './query.ts';
import { snippetOf } from './snippet.ts';

const filler = 'Nothing of this is of any interest to anybody at all. '.repeat(40);

test('a short text is its own snippet, in one line', () => {
  expect(snippetOf('one\n  two\tthree', readQuery('two'))).toBe('one two three');
});

test('of a long text the stretch with the most of what was asked for is shown', () => {
  const text = `${filler}A boat. ${filler}She painted the boat on the lake. ${filler}`;

  const snippet = snippetOf(text, readQuery('painting lakes boats'));

  expect(snippet).toContain('She painted the boat on the lake');
  expect(snippet).toMatch(/^…/);
  expect(snippet).toMatch(/…$/);
});

test('forms of a word are found too', () => {
  expect(snippetOf(`${filler}I went there. ${filler}`, readQuery('go'))).toContain('I went there');
});

test('a text that has nothing of it is shown from its beginning', () => {
  expect(snippetOf(filler, readQuery('lake'))).toMatch(/^Nothing of this/);
});

test('a snippet has at most 200 characters, whatever the text is', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2000 }),
    fc
      .array(fc.constantFrom('lake', ' ', '🙂', '湖', 'x'.repeat(300), '\n'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (written) => {
      const snippet = snippetOf(written.toWellFormed(), readQuery('lake 湖'));

      expect(snippet.length).toBeLessThanOrEqual(200);
      expect(snippet.isWellFormed()).toBe(true);
    }),
  );
});
