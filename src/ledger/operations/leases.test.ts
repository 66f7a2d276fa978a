import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { readLeases, releaseLease, renewLease, stealLease, takeLease } from './leases.ts';

const jean = 'agent:jean';
const ttlMs = 15_000;

test('takeLease() gives a free subject to one owner only', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;

  const tokens = await Promise.all(
    ['node-a', 'node-b'].map((owner) => ledger.transact((tx) => takeLease(tx, jean, owner, ttlMs))),
  );

  expect(tokens).toEqual([1, undefined]);
  expect(await readLeases(ledger.committed)).toEqual([
    { subject: jean, owner: 'node-a', token: 1, renewals: 0, ttl_ms: ttlMs },
  ]);
});

test('renewLease() counts up for the owner, and refuses everybody else', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => takeLease(tx, jean, 'node-a', ttlMs));

  const renew = (owner: string, token: number) =>
    ledger.transact((tx) => renewLease(tx, jean, owner, token));

  expect(await renew('node-a', 1)).toBe(true);
  expect(await renew('node-b', 1)).toBe(false);
  expect(await renew('node-a', 2)).toBe(false);
  expect(await readLeases(ledger.committed)).toMatchObject([{ owner: 'node-a', renewals: 1 }]);
});

test('stealLease() succeeds only on what was seen, and ends the right of the old owner', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => takeLease(tx, jean, 'node-a', ttlMs));
  await ledger.transact((tx) => renewLease(tx, jean, 'node-a', 1));

  const steal = (renewals: number) =>
    ledger.transact((tx) => stealLease(tx, jean, 'node-b', { token: 1, renewals }));

  expect(await steal(0)).toBeUndefined();
  expect(await steal(1)).toBe(2);
  expect(await steal(1)).toBeUndefined();
  expect(await ledger.transact((tx) => renewLease(tx, jean, 'node-a', 1))).toBe(false);
  expect(await ledger.transact((tx) => renewLease(tx, jean, 'node-b', 2))).toBe(true);
});

test('of two that steal at once one succeeds', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => takeLease(tx, jean, 'node-a', ttlMs));

  const tokens = await Promise.all(
    ['node-b', 'node-c'].map((owner) =>
      ledger.transact((tx) => stealLease(tx, jean, owner, { token: 1, renewals: 0 })),
    ),
  );

  expect(tokens.filter((token) => token === 2)).toHaveLength(1);
});

test('releaseLease() frees the subject, and its next owner gets a higher token', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => takeLease(tx, jean, 'node-a', ttlMs));

  const release = (owner: string) => ledger.transact((tx) => releaseLease(tx, jean, owner, 1));

  expect(await release('node-b')).toBe(false);
  expect(await release('node-a')).toBe(true);
  expect(await release('node-a')).toBe(false);
  expect(await readLeases(ledger.committed)).toEqual([]);
  expect(await ledger.transact((tx) => takeLease(tx, jean, 'node-a', ttlMs))).toBe(2);
});

test('a lease that was given back cannot be renewed or stolen', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => takeLease(tx, jean, 'node-a', ttlMs));
  await ledger.transact((tx) => releaseLease(tx, jean, 'node-a', 1));

  const seen = { token: 1, renewals: 0 };

  expect(await ledger.transact((tx) => renewLease(tx, jean, 'node-a', 1))).toBe(false);
  expect(await ledger.transact((tx) => stealLease(tx, jean, 'node-b', seen))).toBeUndefined();
});
