import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openTestLedger } from '../../../tests/support/temporary-ledger.ts';
import { realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { AosError } from '../../kernel/errors.ts';
import { readEvents } from '../../ledger/events.ts';
import { giveUpSecrets, openSecrets } from './secrets.ts';

/** Two secrets, and a key that opens neither. */
async function lockedHome() {
  const folder = temporaryFolder();
  mkdirSync(folder.at('keys'), { mode: 0o700 });
  const clock = new SimulatedClock();
  const ledger = await openTestLedger(folder.at('ledger.db'), { clock });
  const deps = { ledger, clock, disk: realDisk, random: realRandom };
  const open = () => openSecrets(deps, folder.path);
  const secrets = await open();
  for (const name of ['ONE', 'TWO']) await secrets.set({ name, value: 'sk-01234567' }, 'owner');
  const keyPath = folder.at('keys', 'secrets.key');
  writeFileSync(keyPath, 'garbage');
  return {
    ...{ deps, keyPath, open },
    path: folder.path,
    removals: () =>
      readEvents(
        ledger.committed,
        { kind: 'secret.removed' },
        { limit: 10, order: 'oldest-first' },
      ),
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('giveUpSecrets() forgets all of them on record, and keeps the key under another name', async () => {
  await using home = await lockedHome();
  await expect(home.open()).rejects.toMatchObject({
    code: 'secret.broken-key',
    fix: expect.stringContaining('aos secret rm --all'),
  });

  const { removed, key_moved_to } = await giveUpSecrets(home.deps, home.path);

  expect(removed).toEqual(['ONE', 'TWO']);
  expect(existsSync(home.keyPath)).toBe(false);
  expect(key_moved_to).toMatch(/\/keys\/secrets\.key\.given-up-[\dTZ-]+$/);
  expect(readFileSync(key_moved_to ?? '', 'utf8')).toBe('garbage');
  expect(await home.removals()).toMatchObject([
    { actor: 'owner', subject: 'secret:ONE' },
    { actor: 'owner', subject: 'secret:TWO' },
  ]);
  const secrets = await home.open();
  expect(await secrets.set({ name: 'ONE', value: 'sk-76543210' }, 'owner')).toEqual({
    replaced: false,
  });
});

test('what broke between the key and the rows is given up the second time', async () => {
  await using home = await lockedHome();
  const full = new AosError('ledger.full', { message: 'The disk is full' });
  const ledger = { transact: () => Promise.reject(full) };

  const first = giveUpSecrets({ ...home.deps, ledger }, home.path);
  await expect(first).rejects.toBe(full);
  await expect(home.open()).rejects.toMatchObject({ code: 'secret.broken-key' });
  const second = await giveUpSecrets(home.deps, home.path);

  expect(second).toEqual({ removed: ['ONE', 'TWO'], key_moved_to: null });
  await (await home.open()).set({ name: 'NEW', value: 'sk-76543210' }, 'owner');
});

test('where no secret needs it, a file that is no key is to be moved away', async () => {
  await using home = await lockedHome();
  await giveUpSecrets(home.deps, home.path);
  writeFileSync(home.keyPath, 'garbage', { mode: 0o600 });

  const attempt = (await home.open()).set({ name: 'ONE', value: 'sk-76543210' }, 'owner');

  await expect(attempt).rejects.toMatchObject({
    code: 'secret.broken-key',
    fix: 'Move it away: there is no secret that it opens',
  });
});
