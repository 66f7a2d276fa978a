import { expect, test } from 'vitest';
import { commandWith } from './group-command.ts';

test('options are added before words that only look like some', () => {
  expect(commandWith(['files', 'delete', '--', '-rf'], ['--yes'])).toBe(
    'aos files delete --yes -- -rf',
  );
});

test('a command that is too long to be read is not repeated', () => {
  const typed = ['files', 'write', 'a.txt', 'x'.repeat(5000)];

  expect(commandWith(typed, ['--yes', '--plan', 'abc'])).toBe(
    'The same command with --yes --plan abc',
  );
});
