import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { readEvents } from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { eraseEvents } from './prune.ts';
import { verifyChain } from './verify.ts';

async function record(ledger: Ledger, ...events: readonly (object | undefined)[]): Promise<void> {
  await ledger.transact(async (tx) => {
    for (const data of events) {
      const event = { actor: 'agent:jean', kind: 'test.happened', subject: 'test' };
      await tx.record(data === undefined ? event : { ...event, data: { ...data } });
    }
  });
}

function all(ledger: Ledger) {
  return readEvents(ledger.committed, {}, { limit: 100, order: 'oldest-first' });
}

test('eraseEvents() takes the data, leaves the rest, and records who did it to which', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, { id: 1 }, { id: 2 }, { id: 3 });
  const before = await all(home.ledger);

  const erased = await eraseEvents(home.ledger, { seqs: [3, 1, 3], actor: 'owner' });

  const [first, second, third, erasure] = await all(home.ledger);
  expect(erased).toEqual([1, 3]);
  expect([first, third]).toEqual([
    { ...before[0], data: null },
    { ...before[2], data: null },
  ]);
  expect(second).toEqual(before[1]);
  expect(erasure).toMatchObject({
    actor: 'owner',
    kind: 'audit.erased',
    subject: 'ledger',
    data: '{"seqs":[1,3]}',
  });
  expect(await verifyChain({ ledger: home.ledger })).toMatchObject({
    kind: 'whole',
    erased: 2,
  });
});

test('eraseEvents() records nothing when there is nothing left to erase', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, { id: 1 }, undefined);
  await eraseEvents(home.ledger, { seqs: [1], actor: 'owner' });

  const again = await eraseEvents(home.ledger, { seqs: [1, 2], actor: 'owner' });

  expect(again).toEqual([]);
  expect(await all(home.ledger)).toHaveLength(3);
});

test.each([0, -1, 3, 1.5, Number.NaN])(
  'event %d is not there, and nothing is erased',
  async (seq) => {
    await using home = await temporaryLedger();
    await record(home.ledger, { id: 1 }, { id: 2 });

    const attempt = eraseEvents(home.ledger, { seqs: [1, seq], actor: 'owner' });

    await expect(attempt).rejects.toMatchObject({ code: 'audit.unknown-event' });
    expect(await all(home.ledger)).toMatchObject([{ data: '{"id":1}' }, { data: '{"id":2}' }]);
  },
);

test('an "audit" event is kept, and nothing beside it is erased', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, { id: 1 }, { id: 2 });
  await eraseEvents(home.ledger, { seqs: [1], actor: 'owner' });

  const attempt = eraseEvents(home.ledger, { seqs: [2, 3], actor: 'owner' });

  await expect(attempt).rejects.toMatchObject({
    code: 'audit.not-erasable',
    message: expect.stringContaining('Event 3 is audit.erased'),
  });
  expect(await all(home.ledger)).toMatchObject([{ data: null }, { data: '{"id":2}' }, {}]);
});

test('more than a thousand at once are refused', async () => {
  await using home = await temporaryLedger();
  const seqs = Array.from({ length: 1001 }, (_, index) => index + 1);

  const attempt = eraseEvents(home.ledger, { seqs, actor: 'owner' });

  await expect(attempt).rejects.toMatchObject({ code: 'audit.too-many' });
});
