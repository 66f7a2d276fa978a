import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import type { Ledger } from '../ledger.ts';
import {
  findPrincipal,
  findPrincipalByAddress,
  findPrincipalOfHandle,
  insertHandle,
  insertPrincipal,
  revokeHandle,
  revokeHandlesOf,
} from './principals.ts';

const jean = {
  id: 'agent:jean',
  kind: 'agent',
  address: '0xJean',
  public_key: '0x02',
  created_at: 5,
} as const;

async function withJean(ledger: Ledger): Promise<void> {
  await ledger.transact((tx) => insertPrincipal(tx, jean));
}

function insert(ledger: Ledger, hash: string, expires_at: number | null = null): Promise<void> {
  const row = { hash, principal: 'agent:jean', created_at: 10, expires_at };
  return ledger.transact((tx) => insertHandle(tx, row));
}

test('a principal is found by its id and by its address', async () => {
  await using home = await temporaryLedger();
  await withJean(home.ledger);

  expect(await findPrincipal(home.ledger.committed, 'agent:jean')).toEqual(jean);
  expect(await findPrincipalByAddress(home.ledger.committed, '0xJean')).toEqual(jean);
  expect(await findPrincipal(home.ledger.committed, 'agent:Jean')).toBeUndefined();
  expect(await findPrincipalByAddress(home.ledger.committed, '0xjean')).toBeUndefined();
});

test.each([
  ['id', { ...jean, address: '0xOther' }],
  ['address', { ...jean, id: 'agent:other' }],
])('insertPrincipal() refuses a second one with the same %s', async (_what, second) => {
  await using home = await temporaryLedger();
  await withJean(home.ledger);

  const attempt = home.ledger.transact((tx) => insertPrincipal(tx, second));

  await expect(attempt).rejects.toThrow();
  expect(await findPrincipal(home.ledger.committed, 'agent:jean')).toEqual(jean);
});

test('findPrincipalOfHandle() knows a handle until the moment it expires', async () => {
  await using home = await temporaryLedger();
  await withJean(home.ledger);
  await insert(home.ledger, 'for ever');
  await insert(home.ledger, 'for a while', 100);
  const find = (hash: string, now: number) =>
    findPrincipalOfHandle(home.ledger.committed, hash, now);

  expect(await find('for ever', 1e12)).toBe('agent:jean');
  expect(await find('for a while', 99)).toBe('agent:jean');
  expect(await find('for a while', 100)).toBeUndefined();
  expect(await find('unknown', 0)).toBeUndefined();
});

test('revokeHandle() ends one handle, once', async () => {
  await using home = await temporaryLedger();
  await withJean(home.ledger);
  await insert(home.ledger, 'one');
  await insert(home.ledger, 'other');
  const revoke = (hash: string) => home.ledger.transact((tx) => revokeHandle(tx, hash, 50));

  const answers = [await revoke('one'), await revoke('one'), await revoke('unknown')];

  expect(answers).toEqual([true, false, false]);
  expect(await findPrincipalOfHandle(home.ledger.committed, 'one', 50)).toBeUndefined();
  expect(await findPrincipalOfHandle(home.ledger.committed, 'other', 50)).toBe('agent:jean');
});

test('revokeHandlesOf() ends all that are left of one principal', async () => {
  await using home = await temporaryLedger();
  await withJean(home.ledger);
  const samantha = { ...jean, id: 'agent:samantha', address: '0xSamantha' };
  await home.ledger.transact(async (tx) => {
    await insertPrincipal(tx, samantha);
    await insertHandle(tx, {
      hash: 'hers',
      principal: samantha.id,
      created_at: 1,
      expires_at: null,
    });
  });
  await insert(home.ledger, 'one');
  await insert(home.ledger, 'other');
  await home.ledger.transact((tx) => revokeHandle(tx, 'one', 20));

  const revoked = await home.ledger.transact((tx) => revokeHandlesOf(tx, 'agent:jean', 50));

  expect(revoked).toBe(1);
  expect(await findPrincipalOfHandle(home.ledger.committed, 'other', 50)).toBeUndefined();
  expect(await findPrincipalOfHandle(home.ledger.committed, 'hers', 50)).toBe('agent:samantha');
});
