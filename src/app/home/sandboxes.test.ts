import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import { isRoot } from '../../../tests/support/machine.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { insertAgent } from '../../ledger/agents.ts';
import { removeSocketFolder, showSocket, showSocketOf, sweepSocketFolders } from './sandboxes.ts';

const uid = 2_100_000_029;

function homeWithFolders(): TemporaryFolder {
  const home = temporaryFolder();
  mkdirSync(home.at('run/agents'), { recursive: true });
  mkdirSync(home.at('run/bodies/jean'), { recursive: true, mode: 0o700 });
  return home;
}

/** Answers with its number, until it is disposed of. */
async function listenAt(path: string, number: number): Promise<AsyncDisposable> {
  const server: Server = createServer((socket) => socket.end(String(number)));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function answerOf(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path);
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.once('error', reject).once('close', () => resolve(text));
  });
}

describe('showSocket()', () => {
  test('gives the socket of an agent a second name, and leaves nothing else there', async () => {
    await using home = homeWithFolders();
    await using _server = await listenAt(home.at('run/agents/jean.sock'), 1);

    await showSocket(realDisk, home.path, 'jean');
    await showSocket(realDisk, home.path, 'jean');

    expect(await answerOf(home.at('run/bodies/jean/aos.sock'))).toBe('1');
    expect(readdirSync(home.at('run/bodies'))).toEqual(['jean']);
    expect(readdirSync(home.at('run/bodies/jean'))).toEqual(['aos.sock']);
  });

  test('shows the socket of the next daemon in the same folder', async () => {
    await using home = homeWithFolders();
    const { ino } = statSync(home.at('run/bodies/jean'));
    {
      await using _old = await listenAt(home.at('run/agents/jean.sock'), 1);
      await showSocket(realDisk, home.path, 'jean');
    }
    // What a daemon leaves that dies between the two steps.
    writeFileSync(home.at('run/bodies/.jean.sock'), '');
    await using _next = await listenAt(home.at('run/agents/jean.sock'), 2);

    await showSocket(realDisk, home.path, 'jean');

    expect(await answerOf(home.at('run/bodies/jean/aos.sock'))).toBe('2');
    expect(statSync(home.at('run/bodies/jean')).ino).toBe(ino);
    expect(readdirSync(home.at('run/bodies'))).toEqual(['jean']);
  });

  test.skipIf(!isRoot)('lets it be the agent’s where the folder is', async () => {
    await using home = homeWithFolders();
    chownSync(home.at('run/bodies/jean'), uid, uid);
    await using _server = await listenAt(home.at('run/agents/jean.sock'), 1);

    await showSocket(realDisk, home.path, 'jean');

    expect(statSync(home.at('run/bodies/jean/aos.sock')).uid).toBe(uid);
  });
});

test('removeSocketFolder() removes it with the socket, and says nothing when it is gone', async () => {
  await using home = homeWithFolders();
  await using _server = await listenAt(home.at('run/agents/jean.sock'), 1);
  await showSocket(realDisk, home.path, 'jean');

  await removeSocketFolder(realDisk, home.path, 'jean');
  await removeSocketFolder(realDisk, home.path, 'jean');

  expect(existsSync(home.at('run/bodies/jean'))).toBe(false);
  expect(await answerOf(home.at('run/agents/jean.sock'))).toBe('1');
});

describe('of the agents of a ledger', () => {
  const never = async (): Promise<never> => {
    throw new Error('nothing is to be given to anybody');
  };

  test('showSocketOf() shows none of a guest, nor of one without a sandbox', async () => {
    await using home = homeWithFolders();
    await using ledger = await SimulatedLedger.create(new SimulatedClock());
    const agent = { registered_at: 1, status: 'active', state: 'pending' } as const;
    await ledger.transact(async (tx) => {
      await insertAgent(tx, { name: 'guest', body: 'guest', ...agent });
      await insertAgent(tx, { name: 'open', body: 'command', ...agent });
      const spec = { body: 'command', argv: ['x'], env: {}, restart: 'never', unsandboxed: true };
      await tx.run('update agents set spec = $2 where name = $1', ['open', JSON.stringify(spec)]);
    });
    const deps = { disk: realDisk, ledger, home: home.path, ownFolders: never };

    await showSocketOf(deps, 'guest');
    await showSocketOf(deps, 'open');
    await showSocketOf(deps, 'nobody');

    expect(readdirSync(home.at('run/bodies'))).toEqual(['jean']);
  });

  test('sweepSocketFolders() keeps only those of programs that are there', async () => {
    await using home = homeWithFolders();
    await using ledger = await SimulatedLedger.create(new SimulatedClock());
    for (const name of ['gone', 'ended', 'nobody']) {
      mkdirSync(home.at('run/bodies', name));
      writeFileSync(home.at('run/bodies', name, 'aos.sock'), '');
    }
    writeFileSync(home.at('run/bodies/.jean.sock'), '');
    const agent = { registered_at: 1, status: 'active', body: 'command' } as const;
    await ledger.transact(async (tx) => {
      await insertAgent(tx, { name: 'jean', state: 'running', ...agent });
      await insertAgent(tx, { name: 'ended', state: 'completed', ...agent });
      await insertAgent(tx, { name: 'gone', state: 'terminated', ...agent });
    });

    await sweepSocketFolders({ disk: realDisk, ledger, home: home.path });

    expect(readdirSync(home.at('run/bodies')).sort()).toEqual(['ended', 'jean']);
  });
});
