import { expect, test } from 'vitest';
import { commandWords } from './program.ts';

test.each([
  ['claude', ['claude']],
  ['  claude --model  big ', ['claude', '--model', 'big']],
  [`claude "two words" 'and three more'`, ['claude', 'two words', 'and three more']],
  [`sh -c 'echo "$HOME"'`, ['sh', '-c', 'echo "$HOME"']],
  ['a"b c"d', ['ab cd']],
  [`x ""`, ['x', '']],
  ['a;b $(c) | d', ['a;b', '$(c)', '|', 'd']],
])('%j is %j', (text, words) => {
  expect(commandWords(text)).toEqual(words);
});

test.each(['', '   ', `claude "open`, `it's`, '""', 'a\0b'])('%j is refused', (text) => {
  expect(() => commandWords(text)).toThrow(expect.objectContaining({ code: 'agent.bad-spec' }));
});
