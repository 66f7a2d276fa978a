import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { deleteSecret, hasSecret, listSecrets, putSecret, sealedSecrets } from './secrets.ts';

const secret = {
  ...{ name: 'API', sealed: new Uint8Array([1, 2, 3]) },
  ...{ host: 'api.example.com', port: 443, header: 'authorization', prefix: 'Bearer ' },
};

test('a secret that is put again takes the place of the first, and keeps when it began', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => putSecret(tx, secret, 1000));
  const unbound = { host: null, port: null, header: null, prefix: '' };
  const next = { ...secret, ...unbound, sealed: new Uint8Array([4]) };

  await ledger.transact((tx) => putSecret(tx, next, 2000));

  expect(await sealedSecrets(ledger.committed)).toEqual([next]);
  expect(await listSecrets(ledger.committed)).toEqual([
    { name: 'API', ...unbound, created_at: 1000, updated_at: 2000 },
  ]);
});

test('a secret is deleted once', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => putSecret(tx, secret, 1000));
  expect(await hasSecret(ledger.committed, 'API')).toBe(true);

  const deleted = [
    await ledger.transact((tx) => deleteSecret(tx, 'API')),
    await ledger.transact((tx) => deleteSecret(tx, 'API')),
  ];

  expect(deleted).toEqual([true, false]);
  expect(await hasSecret(ledger.committed, 'API')).toBe(false);
});
