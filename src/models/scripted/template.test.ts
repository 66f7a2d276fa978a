import { expect, test } from 'vitest';
import { globMatches } from './scripted-model.ts';
import { badTemplate, fillText, fillValue } from './template.ts';

const facts = {
  goal: 'count the lines',
  last: ' last \n',
  results: ['one two\nthree\n', '{"a":{"b":[10,{"c":true}]},"text":"größe"}'],
};

test.each([
  ['{{goal}}!', 'count the lines!'],
  ['[{{ last | trim }}]', '[last]'],
  ['{{result 1 | lines}} lines, {{result 1 | words}} words', '2 lines, 3 words'],
  ['{{result 2 | json a.b.0}}', '10'],
  ['{{result 2 | json text | bytes}}', '7'],
  ['{{result 2 | json text | first 3}}', 'grö'],
  ['{{result 2 | json a}}', '{"b":[10,{"c":true}]}'],
  ['no template } here', 'no template } here'],
])('%j is filled in as %j', (text, filled) => {
  expect(badTemplate(text)).toBeUndefined();
  expect(fillText(text, facts)).toBe(filled);
});

test('a string that is one template keeps the type of what it stands for', () => {
  const value = {
    lines: '{{result 1 | lines}}',
    flag: ['{{result 2 | json a.b.1.c}}'],
    text: 'n={{result 1 | lines}}',
    number: 5,
  };

  expect(fillValue(value, facts)).toEqual({ lines: 2, flag: [true], text: 'n=2', number: 5 });
});

test('what is filled in is not looked through for templates again', () => {
  expect(fillText('{{last}}', { ...facts, last: '{{goal}} $& $1' })).toBe('{{goal}} $& $1');
});

test.each([
  '{{}}',
  '{{gaol}}',
  '{{result}}',
  '{{result 0}}',
  '{{goal | upper}}',
  '{{goal | first}}',
  '{{goal | trim 5}}',
  '{{goal',
])('%j is refused before it is needed', (text) => {
  expect(badTemplate(text)).toEqual(expect.any(String));
});

test.each([
  '{{result 9}}',
  '{{goal | json}}',
  '{{result 2 | json a.x}}',
  '{{result 2 | json __proto__}}',
])('%j cannot be filled in', (text) => {
  expect(badTemplate(text)).toBeUndefined();
  expect(() => fillText(text, facts)).toThrow();
});

test.each([
  ['*', '', true],
  ['count*', 'count the lines', true],
  ['*lines', 'count the lines', true],
  ['c?unt*', 'count the lines', true],
  ['count', 'count the lines', false],
  ['*(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaa!', false],
  ['**a**', 'bab', true],
])('the glob %j on %j is %s', (glob, text, matches) => {
  expect(globMatches(glob, text)).toBe(matches);
});
