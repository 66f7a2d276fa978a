import { expect, test } from 'vitest';
import { isWithheld, programEnvironment } from './program.ts';

const order = {
  name: 'jean',
  home: '/home/u/.agent-relay/agents/jean',
  socket: '/home/u/.agent-relay/run/agents/jean.sock',
  handle: 'aos_secret',
  own: {},
  machine: {},
};

test('a program learns who it is and how to call, and gets a PATH where there is none', () => {
  expect(programEnvironment(order)).toEqual({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    AGENT_RELAY_NAME: 'jean',
    AOS_AGENT: 'jean',
    AOS_HOME: '/home/u/.agent-relay/agents/jean',
    AOS_SOCKET: '/home/u/.agent-relay/run/agents/jean.sock',
    AOS_HANDLE: 'aos_secret',
  });
});

test('of our own environment only what opens nothing is passed on', () => {
  const machine = {
    PATH: '/bin',
    HOME: '/home/u',
    LC_ALL: 'C',
    TZ: 'UTC',
    LANG: undefined,
    ANTHROPIC_API_KEY: 'k',
    AOS_PASSPHRASE: 'p',
    SSH_AUTH_SOCK: '/run/ssh',
    LD_PRELOAD: '/x.so',
    NODE_OPTIONS: '--require x',
    LC_: 'x',
  };

  const environment = programEnvironment({ ...order, machine });

  expect(environment).toMatchObject({ PATH: '/bin', HOME: '/home/u', LC_ALL: 'C', TZ: 'UTC' });
  expect(Object.keys(environment)).toHaveLength(9);
});

test('what an order sets cannot stand for who the program is', () => {
  const own = { AGENT_RELAY_NAME: 'samantha', COLOR: 'blue' };

  const environment = programEnvironment({ ...order, own });

  expect(environment).toMatchObject({ AGENT_RELAY_NAME: 'jean', COLOR: 'blue' });
});

test.each([
  ...['PATH', 'path', 'HOME', 'LD_PRELOAD', 'NODE_OPTIONS', 'AOS_HANDLE', 'AOS_BODY'],
  ...['BASH_ENV', 'ENV', 'IFS', 'GIT_SSH', 'PYTHONPATH', 'PERL5LIB', 'DYLD_INSERT_LIBRARIES'],
])('an order that sets %s is refused', (name) => {
  expect(isWithheld(name)).toBe(true);
  expect(() => programEnvironment({ ...order, own: { [name]: 'x' } })).toThrow(
    expect.objectContaining({ code: 'agent.bad-spec' }),
  );
});

test.each([
  ['', 'x'],
  ['A=B', 'x'],
  ['A B', 'x'],
  ['1A', 'x'],
  ['A', 'x\0y'],
])('a variable %j with the value %j is refused', (name, value) => {
  expect(() => programEnvironment({ ...order, own: { [name]: value } })).toThrow(
    expect.objectContaining({ code: 'agent.bad-spec' }),
  );
});

test.each(['PATHS', 'MY_PATH', 'LANG', 'EDITOR'])('an order may set %s', (name) => {
  expect(programEnvironment({ ...order, own: { [name]: 'x' } })[name]).toBe('x');
});

test('a goal is told, but for one that no environment can hold', () => {
  expect(programEnvironment({ ...order, goal: 'tidy up' })['AOS_GOAL']).toBe('tidy up');
  expect(programEnvironment({ ...order, goal: 'a\0b' })['AOS_GOAL']).toBeUndefined();
  expect(programEnvironment({ ...order, goal: 'x'.repeat(200_000) })['AOS_GOAL']).toBeUndefined();
});
