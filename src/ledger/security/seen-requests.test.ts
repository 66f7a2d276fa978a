import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import type { Ledger } from '../ledger.ts';
import {
  beginRequest,
  countRequestsOf,
  deleteRequestsBefore,
  endRequest,
  findRequest,
  freeRequest,
} from './seen-requests.ts';

const which = { principal: 'agent:jean', key: 'once' };

function begin(ledger: Ledger, request: object = {}): Promise<boolean> {
  const row = { ...which, digest: 'd1', epoch: 1, at: 100, ...request };
  return ledger.transact((tx) => beginRequest(tx, row));
}

test('a key is taken once, by each principal', async () => {
  await using home = await temporaryLedger();

  const first = await begin(home.ledger);
  const again = await begin(home.ledger, { digest: 'd2' });
  const other = await begin(home.ledger, { principal: 'agent:sam' });

  expect([first, again, other]).toEqual([true, false, true]);
  const found = await findRequest(home.ledger.committed, which);
  expect(found).toEqual({ digest: 'd1', status: null, answer: null });
});

test('how a request ended is written once', async () => {
  await using home = await temporaryLedger();
  await begin(home.ledger);

  const first = await home.ledger.transact((tx) =>
    endRequest(tx, which, { status: 201, answer: '{"a":1}' }),
  );
  const again = await home.ledger.transact((tx) =>
    endRequest(tx, which, { status: 500, answer: null }),
  );

  expect([first, again]).toEqual([true, false]);
  const found = await findRequest(home.ledger.committed, which);
  expect(found).toEqual({ digest: 'd1', status: 201, answer: '{"a":1}' });
});

test('a key is freed while nothing came of it, and not after', async () => {
  await using home = await temporaryLedger();
  const free = () => home.ledger.transact((tx) => freeRequest(tx, which));
  await begin(home.ledger);

  const running = await free();
  await begin(home.ledger);
  await home.ledger.transact((tx) => endRequest(tx, which, { status: 204, answer: null }));
  const ended = await free();

  expect([running, ended]).toEqual([true, false]);
});

test('the keys of one principal are counted', async () => {
  await using home = await temporaryLedger();
  await begin(home.ledger);
  await begin(home.ledger, { key: 'twice' });
  await begin(home.ledger, { principal: 'agent:sam' });

  expect(await countRequestsOf(home.ledger.committed, 'agent:jean')).toBe(2);
  expect(await countRequestsOf(home.ledger.committed, 'owner')).toBe(0);
});

test('the oldest go first, so many at a time', async () => {
  await using home = await temporaryLedger();
  for (const at of [3, 1, 4, 2, 5]) await begin(home.ledger, { key: `at ${at}`, at });

  const deleted = await home.ledger.transact((tx) => deleteRequestsBefore(tx, 5, 3));

  expect(deleted).toBe(3);
  const left = await home.ledger.committed.all<{ key: string }>(
    'select key from idempotent_requests order by created_at',
  );
  expect(left.map(({ key }) => key)).toEqual(['at 4', 'at 5']);
});
