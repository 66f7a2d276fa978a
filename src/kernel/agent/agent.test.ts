import { expect, test } from 'vitest';
import { checkAgentName } from './agent.ts';

test.each([
  ['a'],
  ['Z'],
  ['Lead'],
  ['jean'],
  ['jean-2'],
  ['a_b-C9'],
  ['systems'],
  ['n'.repeat(63)],
])('an agent may be called "%s"', (name) => {
  expect(() => checkAgentName(name)).not.toThrow();
});

test.each([
  ['', 'at least one character'],
  ['2jean', 'begins with a letter'],
  ['_jean', 'begins with a letter'],
  ['-rf', 'begins with a letter'],
  ['.hidden', 'begins with a letter'],
  ['élan', 'begins with a letter'],
  ['jean paul', 'letters, digits'],
  ['jean\n', 'letters, digits'],
  ['jean/../../etc', 'letters, digits'],
  ['jean\0', 'letters, digits'],
  ['jeané', 'letters, digits'],
  ['n'.repeat(64), 'at most 63 characters, and this one has 64'],
  ['system', 'reserved'],
  ['Root', 'reserved'],
  ['ADMIN', 'reserved'],
  ['owner', 'reserved'],
  ['__orchestrator__', 'reserved'],
  ['__Orchestrator__', 'reserved'],
])('an agent may not be called %j: %s', (name, why) => {
  expect(() => checkAgentName(name)).toThrow(
    expect.objectContaining({
      code: 'agent.bad-name',
      message: expect.stringContaining(why),
      fix: expect.any(String),
    }),
  );
});

test('a refused name stands in the sentence in one short line', () => {
  const hostile = `\u001b[2J\n${'x'.repeat(1_000_000)}`;

  expect(() => checkAgentName(hostile)).toThrow(
    /^An agent cannot be called "[ -~…]{1,120}": .{1,60}$/,
  );
});
