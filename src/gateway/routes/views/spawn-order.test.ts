import { describe, expect, test } from 'vitest';
import type { Body } from '../../contract/contract.ts';
import { spawnOrder } from './spawn-order.ts';

const order = (asked: Body<'spawn'>) => spawnOrder('worker', 'owner', asked);
const cli = ['sleep', '1'];

describe('spawnOrder()', () => {
  test('takes what the owner chooses about the wall around a program', () => {
    expect(order({ cli, unsandboxed: true }).spec).toMatchObject({ unsandboxed: true });
    expect(order({ cli, sees: ['/srv/a', '/srv/b'], cwd: '/srv/c', writable: true }).spec).toEqual({
      ...{ body: 'command', argv: cli, env: {}, restart: 'never' },
      ...{ cwd: '/srv/c', sees: ['/srv/a', '/srv/b'], writable: true },
    });
  });

  test('says nothing of the wall where nothing was chosen', () => {
    expect(order({ cli, sees: [] }).spec).toEqual({
      ...{ body: 'command', argv: cli, env: {}, restart: 'never' },
    });
  });

  test.each<readonly [string, Body<'spawn'>, string]>([
    ['a model without a wall', { model: 'scripted:hello', unsandboxed: true }, 'is for a program'],
    ['a model that sees folders', { model: 'scripted:hello', sees: ['/srv'] }, 'is for a program'],
    ['a model that writes', { model: 'scripted:hello', writable: true }, 'is for a program'],
    ['folders to see without a wall', { cli, unsandboxed: true, sees: ['/srv'] }, 'everything'],
    [
      'a folder to write to without a wall',
      { cli, unsandboxed: true, cwd: '/srv', writable: true },
      'everything',
    ],
    ['to write to a folder that is not named', { cli, writable: true }, 'none is named'],
    ['a folder that is not absolute', { cli, sees: ['srv'] }, '"srv" is not absolute'],
    ['a folder with a NUL', { cli, sees: ['/srv\0'] }, 'is not absolute'],
  ])('refuses %s', (_what, asked, says) => {
    expect(() => order(asked)).toThrow(
      expect.objectContaining({ code: 'agent.bad-spec', message: expect.stringContaining(says) }),
    );
  });
});
