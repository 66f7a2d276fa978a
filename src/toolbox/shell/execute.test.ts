import { expect, test } from 'vitest';
import { type ExecuteArgs, programName } from '../../verbs/shell.ts';
import { commandOf } from './execute.ts';

const usual: ExecuteArgs = { args: [], cwd: '/workspace', env: {} };

test.each([
  ['git', 'git'],
  ['/usr/bin/git', 'git'],
  ['/bin/git', 'git'],
  ['/usr/local/bin/git', 'git'],
  ['/usr/bin/../bin/git', 'git'],
  ['/usr/bin/git/.', 'git'],
  ['/workspace/git', '/workspace/git'],
  ['/workspace/*', '/workspace/*'],
  ['./git', '/workspace/git'],
  ['bin/git', '/workspace/bin/git'],
  ['/usr/bin/../../workspace/git', '/workspace/git'],
  ['/usr/lib/git-core/git', '/usr/lib/git-core/git'],
])('program %s is %s to capabilities', (program, name) => {
  expect(programName({ ...usual, program })).toBe(name);
});

test('a line for the shell is the program sh', () => {
  const args = { ...usual, command: 'ls | wc -l' };

  expect(programName(args)).toBe('sh');
  expect(commandOf(args).argv).toEqual(['sh', '-c', 'ls | wc -l']);
});

test.each([
  ['sub', '/workspace/sub'],
  ['../..', '/'],
  ['/usr/../etc', '/etc'],
])('the folder %s is %s inside', (cwd, inside) => {
  expect(commandOf({ ...usual, program: 'ls', cwd }).cwd).toBe(inside);
});

test.each<[string, Partial<ExecuteArgs>]>([
  ['nothing', {}],
  ['a program and a line', { program: 'ls', command: 'ls' }],
  ['a line with arguments', { command: 'ls', args: ['-l'] }],
  ['an empty name', { program: '' }],
  ['what would be a variable', { program: '/workspace/A=b' }],
  ['a folder', { program: '/usr/bin/' }],
  ['what is every program to capabilities', { program: '*' }],
  ['the same by its path', { program: '/usr/bin/*' }],
  ['two inputs', { program: 'cat', stdin: 'a', stdin_base64: 'YQ==' }],
  ['more words than there is room for', { program: 'echo', args: Array(12).fill('x'.repeat(1e5)) }],
])('%s is refused', (_what, args) => {
  const order = { ...usual, ...args };

  expect(() => [programName(order), commandOf(order)]).toThrow(
    expect.objectContaining({ code: 'shell.bad-order' }),
  );
});
