import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { readEvents, signedHeadsIn } from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { insertPrincipal } from '../../ledger/security/principals.ts';
import { newKeyPair, signText } from '../identity/key-pair.ts';
import { signHead } from './head.ts';
import { pruneEvents } from './prune.ts';
import { verifyChain } from './verify.ts';

const key = newKeyPair(seededRandom('owner'));
const owner = { address: key.address, sign: (text: string) => signText(key, text) };

/** A ledger with events at these seconds. */
async function ledgerWith(...seconds: readonly number[]) {
  const clock = new SimulatedClock();
  const start = clock.now();
  const at = (second: number) => start + 1000 * second;
  const temporary = await temporaryLedger({ clock });
  const { ledger } = temporary;
  await ledger.transact((tx) =>
    insertPrincipal(tx, {
      id: 'owner',
      kind: 'human',
      address: owner.address,
      public_key: '0x',
      created_at: 0,
    }),
  );
  for (const second of seconds) {
    clock.jump(at(second) - clock.now());
    await ledger.transact((tx) =>
      tx.record({ actor: 'owner', kind: 'test.happened', subject: 'test' }),
    );
  }
  return {
    deps: { ledger, owner, clock },
    at,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

async function seqs(ledger: Ledger): Promise<number[]> {
  const page = { limit: 100, order: 'oldest-first' } as const;
  return (await readEvents(ledger.committed, {}, page)).map(({ seq }) => seq);
}

test('pruneEvents() puts a signed checkpoint in the place of old events, and says so', async () => {
  await using trail = await ledgerWith(1, 2, 3, 4, 5);
  const { deps, at } = trail;
  await signHead(deps);
  const [, second] = await readEvents(
    deps.ledger.committed,
    {},
    { limit: 2, order: 'oldest-first' },
  );

  const pruned = await pruneEvents(deps, { olderThan: at(3) });

  expect(pruned).toEqual({ events: 2, more: false });
  expect(await seqs(deps.ledger)).toEqual([3, 4, 5, 6]);
  expect(
    await signedHeadsIn(deps.ledger.committed, {
      after: 0,
      through: Number.MAX_SAFE_INTEGER,
      limit: 1000,
    }),
  ).toMatchObject([
    { seq: 2, hash: second?.hash, reason: 'checkpoint', at: at(5), signer: owner.address },
    { seq: 5, reason: 'head' },
  ]);
  const [event] = await readEvents(
    deps.ledger.committed,
    { kind: 'audit.pruned' },
    { limit: 1, order: 'newest-first' },
  );
  expect(event).toMatchObject({ subject: 'ledger', data: '{"through":2,"events":2}' });
  expect(await verifyChain({ ledger: deps.ledger })).toMatchObject({
    kind: 'whole',
    from: { seq: 2 },
    signedHeads: 2,
  });
});

test.each([
  ['nothing is old enough', [1, 2, 3], 1],
  ['there is only one event, however old', [1], 1000],
  ['nothing has happened', [], 1000],
])('pruneEvents() writes nothing when %s', async (_what, seconds, olderThan) => {
  await using trail = await ledgerWith(...seconds);
  const { deps, at } = trail;

  const pruned = await pruneEvents(deps, { olderThan: at(olderThan) });

  expect(pruned).toEqual({ events: 0, more: false });
  expect(await seqs(deps.ledger)).toHaveLength(seconds.length);
  expect(
    await signedHeadsIn(deps.ledger.committed, {
      after: 0,
      through: Number.MAX_SAFE_INTEGER,
      limit: 1000,
    }),
  ).toEqual([]);
});

test('pruneEvents() leaves the newest event, however old it is', async () => {
  await using trail = await ledgerWith(1, 2, 3);
  const { deps, at } = trail;

  await pruneEvents(deps, { olderThan: at(1000) });

  expect(await seqs(deps.ledger)).toEqual([3, 4]);
});

test('pruneEvents() stops before the first young event when the clock went back', async () => {
  await using trail = await ledgerWith(1, 9, 2, 3, 9);
  const { deps, at } = trail;

  const pruned = await pruneEvents(deps, { olderThan: at(5) });

  expect(pruned).toEqual({ events: 1, more: false });
  expect(await seqs(deps.ledger)).toEqual([2, 3, 4, 5, 6]);
});

test('pruneEvents() removes no more than its limit, and tells whether more is left', async () => {
  await using trail = await ledgerWith(1, 2, 3, 4, 5, 6, 7, 100);
  const { deps, at } = trail;
  const answers = [];

  for (let more = true; more; more = answers.at(-1)?.more ?? false) {
    answers.push(await pruneEvents(deps, { olderThan: at(50), limit: 3 }));
  }

  expect(answers).toEqual([
    { events: 3, more: true },
    { events: 3, more: true },
    { events: 1, more: false },
  ]);
  expect(await verifyChain({ ledger: deps.ledger })).toMatchObject({
    kind: 'whole',
    from: { seq: 7 },
    events: 4,
    signedHeads: 1,
  });
});

test('a checkpoint takes the place of the head of the same event', async () => {
  await using trail = await ledgerWith(1, 2);
  const { deps, at } = trail;
  await signHead(deps);
  await deps.ledger.transact((tx) =>
    tx.record({ actor: 'owner', kind: 'test.happened', subject: 'x' }),
  );

  await pruneEvents(deps, { olderThan: at(3) });

  expect(
    await signedHeadsIn(deps.ledger.committed, {
      after: 0,
      through: Number.MAX_SAFE_INTEGER,
      limit: 1000,
    }),
  ).toMatchObject([{ seq: 2, reason: 'checkpoint' }]);
  expect(await verifyChain({ ledger: deps.ledger })).toMatchObject({ kind: 'whole' });
});

test('the chain goes on where it was after pruning', async () => {
  await using trail = await ledgerWith(1, 2, 3);
  const { deps, at } = trail;
  await pruneEvents(deps, { olderThan: at(3) });

  await deps.ledger.transact((tx) =>
    tx.record({ actor: 'owner', kind: 'test.happened', subject: 'x' }),
  );

  expect(await seqs(deps.ledger)).toEqual([3, 4, 5]);
  expect(await verifyChain({ ledger: deps.ledger })).toMatchObject({ kind: 'whole' });
});
