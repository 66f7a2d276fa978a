import { describe, expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import type { Transaction } from '../ledger.ts';
import {
  claimDeliveries,
  deliveriesSucceeded,
  deliveryFailed,
  type End,
  insertDelivery,
  moveDelivery,
  type NewDelivery,
  releaseAllBut,
  releaseDelivery,
  returnDelivery,
  settleDelivery,
} from './deliveries.ts';
import { expiredMail, waitingMail } from './find-mail.ts';
import { insertMessage } from './messages.ts';

/** A ledger with one delivery, which is id 1. */
async function world(row: Partial<NewDelivery> = {}) {
  const home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact(async (tx) => {
    const message = await insertOne(tx);
    await insertDelivery(tx, { ...waiting, message, ...row });
  });
  return {
    run: <T>(work: (tx: Transaction) => Promise<T>) => ledger.transact(work),
    row: () => ledger.committed.get('select state, owner, via, attempts from deliveries'),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const waiting = {
  recipient: 'samantha',
  state: 'accepted',
  priority: 5,
  stamp_ns: '1',
  size_bytes: 0,
  subscription: 0,
  expires_at: 9000,
  owner: null,
  via: null,
  error: null,
  accepted_at: 1000,
  read_at: null,
  ended_at: null,
} as const;

async function insertOne(tx: Transaction): Promise<number> {
  const nothing = {
    ...{ source_name: null, file_path: null, file_size: null, file_mtime_ns: null },
    ...{ file_inode: null, checksum: null, processed_at: null, last_error: null, thread: null },
    ...{ re: null, event_type: null, dedup_key: null, receipt: null },
  };
  const id = await insertMessage(tx, {
    ...nothing,
    ...{ message_id: 'a'.repeat(32), agent_name: 'jean', direction: 'outbox' },
    ...{ status: 'completed', message_type: 'message', target: 'samantha', discovered_at: 1000 },
    ...{ priority: 5, headers: '{}', body: '', size_bytes: 0, expires_at: 9000 },
  });
  return id ?? 0;
}

const end = (change: Partial<End> = {}): End => ({
  from: 'accepted',
  to: 'read',
  at: 2000,
  endedAt: 2000,
  ...change,
});

describe('moveDelivery', () => {
  test('moves a delivery on once', async () => {
    await using here = await world();

    const moved = [
      await here.run((tx) => moveDelivery(tx, 1, end())),
      await here.run((tx) => moveDelivery(tx, 1, end())),
    ];

    expect(moved).toEqual([true, false]);
  });

  test('moves nothing that is in another state than was thought', async () => {
    await using here = await world();

    const moved = await here.run((tx) => moveDelivery(tx, 1, end({ from: 'delivered' })));

    expect(moved).toBe(false);
    expect(await here.row()).toMatchObject({ state: 'accepted' });
  });

  test('moves nothing that is over', async () => {
    await using here = await world({ state: 'read', read_at: 1500, ended_at: 1500 });

    const moved = [
      await here.run((tx) => moveDelivery(tx, 1, end({ from: 'read', to: 'expired' }))),
      await here.run((tx) => settleDelivery(tx, 1, { to: 'dead', at: 2000, error: undefined })),
    ];

    expect(moved).toEqual([false, false]);
    expect(await here.row()).toMatchObject({ state: 'read' });
  });

  test('moves what somebody delivers only for its recipient', async () => {
    await using here = await world({ owner: 'daemon 1' });

    const moved = [
      await here.run((tx) => moveDelivery(tx, 1, end({ to: 'expired' }))),
      await here.run((tx) => moveDelivery(tx, 1, end({ evenHeld: true }))),
    ];

    expect(moved).toEqual([false, true]);
    expect(await here.row()).toMatchObject({ state: 'read', owner: null });
  });
});

describe('settleDelivery', () => {
  test('ends what is open, whoever holds it, and once', async () => {
    await using here = await world({ owner: 'daemon 1' });
    const settle = (to: 'acked' | 'dead') =>
      here.run((tx) => settleDelivery(tx, 1, { to, at: 2000, error: undefined }));

    expect([await settle('acked'), await settle('dead')]).toEqual([true, false]);
    expect(await here.row()).toMatchObject({ state: 'acked', owner: null });
  });
});

describe('a claim', () => {
  test('is given to one, and only to what waits', async () => {
    await using here = await world();

    const claims = [
      await here.run((tx) => claimDeliveries(tx, [1, 7], 'daemon 1')),
      await here.run((tx) => claimDeliveries(tx, [1, 7], 'daemon 2')),
    ];

    expect(claims.map((ids) => [...ids])).toEqual([[1], []]);
    expect(await here.row()).toMatchObject({ owner: 'daemon 1' });
  });

  test('of what is over is given to nobody', async () => {
    await using here = await world({ state: 'expired', ended_at: 1500 });

    const claimed = await here.run((tx) => claimDeliveries(tx, [1], 'daemon 1'));

    expect(claimed.size).toBe(0);
  });

  test('that somebody else has counts for nothing', async () => {
    await using here = await world({ owner: 'daemon 1' });
    const owner = 'daemon 2';

    const noted = await here.run((tx) =>
      deliveriesSucceeded(tx, [1], { owner, via: 'inbox', at: 2000 }),
    );
    const failed = await here.run((tx) =>
      deliveryFailed(tx, 1, { owner, error: 'x', dueAt: 3000 }),
    );
    const released = await here.run((tx) => releaseDelivery(tx, 1, owner));

    expect([noted.size, failed, released]).toEqual([0, false, false]);
    expect(await here.row()).toMatchObject({ state: 'accepted', owner: 'daemon 1', attempts: 0 });
  });

  test('of whoever is dead is taken back, and that of the living stays', async () => {
    await using here = await world({ owner: 'daemon 1' });

    const answers = [
      await here.run((tx) => releaseAllBut(tx, 'daemon 1')),
      await here.run((tx) => releaseAllBut(tx, 'daemon 2')),
    ];

    expect(answers).toEqual([0, 1]);
    expect(await here.row()).toMatchObject({ owner: null });
  });
});

describe('returnDelivery', () => {
  test.each([
    ['what was pushed', { state: 'delivered', via: 'push' }, true],
    ['no file in an inbox', { state: 'delivered', via: 'inbox' }, false],
    ['nothing that was read', { state: 'read', via: 'push', ended_at: 1500 }, false],
  ] as const)('returns %s', async (_what, row, expected) => {
    await using here = await world(row);

    expect(await here.run((tx) => returnDelivery(tx, 1))).toBe(expected);
  });
});

test.each([
  ['before its time is up', 8999, 1],
  ['from then on', 9000, 0],
])('waitingMail() has a delivery %s', async (_when, now, count) => {
  await using home = await world();
  const queue = { recipient: 'samantha', subscription: 0 };

  const mails = await home.run((tx) => waitingMail(tx, queue, { now, limit: 10 }));

  expect(mails).toHaveLength(count);
});

test.each([
  [null, 8999, 0],
  [null, 9000, 1],
  ['somebody', 13_999, 0],
  ['somebody', 14_000, 1],
])('expiredMail() of what %s holds, at %i: %i', async (owner, now, count) => {
  await using home = await world({ owner });

  const mails = await home.run((tx) => expiredMail(tx, now, 10));

  expect(mails).toHaveLength(count);
});
