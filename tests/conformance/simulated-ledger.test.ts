/** What only the simulated ledger can show: a commit that fails, and power that goes. */
import { expect, test } from 'vitest';
import { chainHead } from '../../src/ledger/events.ts';
import { readState, type Transaction, writeState } from '../../src/ledger/ledger.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { SimulatedLedger } from '../sim/ledger.ts';

const put = (key: string) => async (tx: Transaction) => {
  await writeState(tx, key, '1', 1);
  await tx.record({ actor: 'owner', kind: 'test.put', subject: key });
};

test('a commit that fails rejects every caller of the batch, and keeps nothing of it', async () => {
  await using ledger = await SimulatedLedger.create(new SimulatedClock());
  ledger.fate = 'fails';

  const results = await Promise.allSettled(['a', 'b'].map((key) => ledger.transact(put(key))));

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await readState(ledger.committed, 'a')).toBeUndefined();
});

test('after a commit that failed the chain goes on from where it was', async () => {
  await using ledger = await SimulatedLedger.create(new SimulatedClock());
  await ledger.transact(put('a'));
  ledger.fate = 'fails';
  await ledger.transact(put('lost')).catch(() => {});

  await ledger.transact(put('b'));

  const rows = await ledger.committed.all(
    'select seq, subject, prev_hash from events order by seq',
  );
  const first = await ledger.committed.get<{ hash: string }>(
    'select hash from events where seq = 1',
  );
  expect(rows).toMatchObject([
    { seq: 1, subject: 'a' },
    { seq: 2, subject: 'b', prev_hash: first?.hash },
  ]);
});

test.each([
  ['before the flush leaves nothing', 'power-cut-before-flush', undefined, 1],
  ['after the flush leaves all of it', 'power-cut-after-flush', '1', 2],
] as const)('a power cut %s, and answers nobody', async (_what, fate, value, seq) => {
  const clock = new SimulatedClock();
  await using ledger = await SimulatedLedger.create(clock);
  await ledger.transact(put('a'));
  ledger.fate = fate;
  let answered = false;

  void ledger.transact(put('b')).finally(() => {
    answered = true;
  });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await using later = await SimulatedLedger.create(clock, ledger.platter);

  expect(answered).toBe(false);
  expect(await readState(later.committed, 'a')).toBe('1');
  expect(await readState(later.committed, 'b')).toBe(value);
  expect(await chainHead(later.committed)).toMatchObject({ seq });
});

test('what takes longer than a flush is spread over several, and all of it is answered', async () => {
  const clock = new SimulatedClock();
  await using ledger = await SimulatedLedger.create(clock);
  let batches = 0;
  using _listening = ledger.onEvents(() => {
    batches += 1;
  });
  const slow = (key: string) => async (tx: Transaction) => {
    await put(key)(tx);
    // The work itself takes that long; nothing is waited for.
    void clock.advance(0.6);
  };

  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ledger.transact(slow(key))));

  expect(batches).toBe(3);
  expect(await chainHead(ledger.committed)).toMatchObject({ seq: 6 });
});
