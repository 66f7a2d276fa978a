import { expect, test } from 'vitest';
import {
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import type { Environment } from '../../app/config/config.ts';
import { version } from '../../app/version.ts';
import { runProgram } from './program.ts';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function aos(environment: Environment, ...argv: readonly string[]): Promise<Run> {
  let stdout = '';
  let stderr = '';
  const terminal = {
    out: (text: string) => {
      stdout += text;
    },
    err: (text: string) => {
      stderr += text;
    },
    ...{ colorOut: false, colorErr: false, columns: 80 },
    input: { isTerminal: true, read: async function* () {} },
  };
  const { signal } = new AbortController();
  const code = await runProgram({ argv, environment, terminal, signal });
  return { code, stdout, stderr };
}

/** What the program of an agent finds in its environment. */
async function asAgent(gateway: TemporaryGateway, name: string): Promise<Environment> {
  const { handle } = await gateway.client.register(name);
  // As in a sandbox: no home of the owner is to be seen.
  const home = '/nonexistent/home';
  return { AOS_HOME: home, AOS_SOCKET: gateway.agentSocket(name), AOS_HANDLE: handle };
}

test('a command with a socket and a handle acts as the agent whose handle it is', async () => {
  await using gateway = await temporaryGateway({ version });
  const jean = await asAgent(gateway, 'jean');
  await gateway.client.register('sam');

  const run = await aos({ ...jean, AOS_AGENT: 'jean' }, 'send', 'sam', 'hello');

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const [message] = await gateway.client.inbox('sam', {});
  expect(message).toMatchObject({ from: 'jean', body: 'hello' });
});

test('such a command may what the agent may, and no more', async () => {
  await using gateway = await temporaryGateway({ version });
  const jean = await asAgent(gateway, 'jean');

  const run = await aos(jean, 'register', 'mallory');

  expect(run.code).toBe(3);
});

test('such a command opens no home where its daemon is gone', async () => {
  const environment = {
    ...{ AOS_HOME: '/nonexistent/home', AOS_SOCKET: '/nonexistent/jean.sock' },
    AOS_HANDLE: 'aos_secret',
  };

  const run = await aos(environment, 'inbox', 'jean');

  expect(run.code).toBe(7);
  expect(run.stderr).toContain('No daemon is running');
});

test('--home names another home, to which the handle does not go', async () => {
  await using gateway = await temporaryGateway({ version });
  const jean = await asAgent(gateway, 'jean');

  const run = await aos(jean, '--home', gateway.home.path, 'register', 'sam');

  expect(run).toMatchObject({ code: 0, stderr: '' });
});

test('--as is refused in words to whoever comes with a handle', async () => {
  const environment = { AOS_SOCKET: '/nonexistent/jean.sock', AOS_HANDLE: 'aos_secret' };

  const run = await aos(environment, 'transfer', 'list', '--as', 'samantha');

  expect(run.code).toBe(2);
  expect(run.stderr).toContain('--as is for the owner');
});
