import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { modelOf, shortModel } from './names.ts';

test.each([
  ['anthropic:claude', 'anthropic:claude'],
  ['ollama:a/b.json', 'ollama:a/b.json'],
  ['scripted:hello', 'scripted:hello'],
  ['scripted:/a/b.json', 'scripted:/a/b.json'],
  ['scripted:./b.json', `scripted:${resolve('b.json')}`],
  ['scripted:b.json', `scripted:${resolve('b.json')}`],
])('modelOf(%s) names a file of a script by its whole path', (typed, expected) => {
  expect(modelOf(typed)).toBe(expected);
});

test.each([
  ['anthropic:claude', 'anthropic:claude'],
  ['scripted:hello', 'scripted:hello (a script)'],
  ['scripted:/a/b.json', 'scripted:b.json (a script)'],
])('shortModel(%s) says what is a script', (model, expected) => {
  expect(shortModel(model)).toBe(expected);
});
