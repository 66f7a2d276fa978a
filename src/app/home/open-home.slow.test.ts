import { rmSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { writeState } from '../../ledger/ledger.ts';
import { composeEngines } from './compose.ts';
import { openHome } from './open-home.ts';

const engines = composeEngines();
const open = (home: string, onLost: (why: { code: string }) => void = () => {}) =>
  openHome(engines, home, { holder: 'test', onLost });

test('every opening has a higher epoch than the one before', async () => {
  await using folder = temporaryFolder();
  const epochs: number[] = [];

  for (let round = 0; round < 3; round++) {
    await using home = await open(folder.at('home'));
    epochs.push(home.epoch);
  }

  expect(epochs).toEqual([1, 2, 3]);
});

test('a home that a daemon has open is refused at once, and free when it is closed', async () => {
  await using folder = temporaryFolder();
  const asDaemon = { holder: 'daemon', onLost: () => {} };
  {
    await using _first = await openHome(engines, folder.at('home'), asDaemon);

    await expect(open(folder.at('home'))).rejects.toMatchObject({ code: 'home.busy' });
  }

  await using second = await open(folder.at('home'));
  expect(second.epoch).toBe(2);
});

test('a home that a command has open is waited for', async () => {
  await using folder = temporaryFolder();
  const first = await open(folder.at('home'));

  const waiting = open(folder.at('home'));
  await engines.clock.sleep(100);
  await first[Symbol.asyncDispose]();

  await using second = await waiting;
  expect(second.epoch).toBe(2);
});

test('whoever still writes after somebody removed .lock is stopped by the epoch', async () => {
  await using folder = temporaryFolder();
  const lost: string[] = [];
  await using old = await open(folder.at('home'), ({ code }) => lost.push(code));
  rmSync(folder.at('home', '.lock'));

  await using taken = await open(folder.at('home'));

  const late = old.ledger.transact((tx) => writeState(tx, 'lead', 'jean', 1));
  await expect(late).rejects.toMatchObject({ code: 'ledger.fenced' });
  expect(taken.epoch).toBeGreaterThan(old.epoch);
  expect(lost).toEqual(['ledger.fenced']);
  await taken.ledger.transact((tx) => writeState(tx, 'lead', 'samantha', 1));
});

test('a home whose owner’s key is gone is not opened', async () => {
  await using folder = temporaryFolder();
  await (await open(folder.at('home')))[Symbol.asyncDispose]();
  rmSync(folder.at('home', 'keys', 'owner.key'));

  await expect(open(folder.at('home'))).rejects.toMatchObject({ code: 'identity.missing-key' });
});

test.each([
  ['is gone', (path: string) => rmSync(path)],
  ['is empty', (path: string) => truncateSync(path)],
])('a home whose ledger %s is not begun anew, as if nothing had happened', async (_what, lose) => {
  await using folder = temporaryFolder();
  await (await open(folder.at('home')))[Symbol.asyncDispose]();
  lose(folder.at('home', 'ledger.db'));

  await expect(open(folder.at('home'))).rejects.toMatchObject({ code: 'ledger.missing' });
});

test('a home whose making was interrupted before its key is opened', async () => {
  await using folder = temporaryFolder();
  await (await open(folder.at('home')))[Symbol.asyncDispose]();
  for (const name of ['keys/owner.key', 'keys/owner.handle', 'ledger.db']) {
    rmSync(folder.at('home', name));
  }

  await using home = await open(folder.at('home'));

  expect(home.owner.address).toMatch(/^0x/);
});
