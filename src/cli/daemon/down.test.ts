import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realProcesses } from '../../engines/process/processes.ts';
import { runProgram } from '../core/program.ts';

async function down(home: string): Promise<{ readonly code: number; readonly text: string }> {
  let text = '';
  const write = (part: string): void => {
    text += part;
  };
  const input = { isTerminal: true, read: async function* () {} };
  const terminal = { out: write, err: write, colorOut: false, colorErr: false, columns: 80, input };
  const { signal } = new AbortController();
  const environment = { AOS_HOME: home };
  return { code: await runProgram({ argv: ['down'], environment, terminal, signal }), text };
}

interface FakeDaemon extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly server: Server;
}

/** A process, and a socket that says it is the daemon and hangs up when it is to stop. */
async function fakeDaemon(home: TemporaryFolder, onShutdown: () => void): Promise<FakeDaemon> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const ended = once(child, 'close');
  const server = createServer((request, response) => {
    if (request.url === '/api/v1/status') {
      response.end(JSON.stringify({ role: 'owner', pid: child.pid }));
      return;
    }
    request.socket.destroy();
    onShutdown();
  });
  mkdirSync(home.at('run'));
  server.listen(home.at('run', 'aos.sock'));
  await once(server, 'listening');
  return {
    process: child,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('a daemon that hangs up because somebody else stops it is waited for', async () => {
  await using home = temporaryFolder();
  await using daemon: FakeDaemon = await fakeDaemon(home, () => daemon.process.kill());

  const run = await down(home.path);

  expect(run).toEqual({ code: 0, text: 'The daemon has stopped.\n' });
  expect(realProcesses.startTimeOf(daemon.process.pid ?? 0)).toBeUndefined();
});

test('a socket that is gone after the daemon has answered is one that is being stopped', async () => {
  await using home = temporaryFolder();
  await using daemon: FakeDaemon = await fakeDaemon(home, () => {});
  daemon.server.once('request', (_request, response) => {
    response.once('close', () => {
      daemon.server.close();
      daemon.process.kill();
    });
  });

  const run = await down(home.path);

  expect(run).toEqual({ code: 0, text: 'The daemon has stopped.\n' });
});
