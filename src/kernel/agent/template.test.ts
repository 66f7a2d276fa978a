import { expect, test } from 'vitest';
import { type AgentTemplate, chooseTemplate } from './operation.ts';

function template(name: string, ...handles: string[]): AgentTemplate {
  return { name, handles, instructions: '', grants: [], budget: [] };
}

const chosen = (goal: string, ...templates: AgentTemplate[]) =>
  chooseTemplate(goal, templates)?.template.name;

test('chooseTemplate() takes the pattern with most characters, and says why', () => {
  const templates = [template('coder', 'fix *'), template('doctor', 'fix * memory leak')];

  expect(chooseTemplate('Please FIX the\n memory  leak!', templates)).toEqual({
    template: templates[1],
    because: 'Template "doctor" handles "fix * memory leak", which fits the goal best',
  });
});

test('chooseTemplate() is undefined when nothing fits', () => {
  expect(chosen('write a poem', template('coder', 'fix', ''), template('empty'))).toBeUndefined();
  expect(chosen('', template('coder', 'fix'))).toBeUndefined();
});

test('of two patterns alike the template that stands first is taken', () => {
  expect(chosen('fix it', template('one', 'fix'), template('two', 'fix'))).toBe('one');
});

test('a star alone takes what no other does', () => {
  const all = template('all', '*');

  expect(chosen('fix it', all, template('coder', 'fix'))).toBe('coder');
  expect(chosen('write a poem', all, template('coder', 'fix'))).toBe('all');
});

test.each([
  ['test', 'run the tests', false],
  ['test*', 'run the tests', true],
  ['*test', 'run a pretest', true],
  ['test', 'run a pretest', false],
  ['test', 'test', true],
  ['test', '(test)', true],
  ['test', 'pretest, then test', true],
  ['review * request', 'review the pull request', true],
  ['review * request', 'review request', true],
  ['review * request', 'reviewed a request', false],
  ['review*request', 'reviewed a request', true],
  ['review * request', 'request a review', false],
  ['a*b', 'ab', true],
  ['C++', 'write C++ code', true],
  ['.*', 'anything', false],
  ['größe', 'die GRÖSSE, die Größe', true],
  ['fix', '🐛fix', true],
])('the pattern %j and the goal %j: %s', (pattern, goal, fits) => {
  expect(chosen(goal, template('it', pattern)) !== undefined).toBe(fits);
});

test('a pattern made to be slow is not', () => {
  const goal = 'a'.repeat(256 * 1024);

  expect(chosen(goal, template('it', `${'a*'.repeat(100)}b`))).toBeUndefined();
  expect(chosen(goal, template('it', `*${'a'.repeat(100)}b`))).toBeUndefined();
});
