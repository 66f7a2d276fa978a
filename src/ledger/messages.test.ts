import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { pruneMessages } from './messages.ts';

const dayMs = 86_400_000;

test('pruneMessages() takes what is over and old, with its deliveries, and a batch at a time', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const old = [
    await home.send('jean', { to: 'samantha' }),
    await home.send('jean', { to: 'samantha' }),
  ];
  await home.relay.mailboxes.markRead('samantha', old);
  clock.jump(dayMs);
  const young = await home.send('jean', { to: 'samantha' });
  await home.relay.mailboxes.markRead('samantha', [young]);
  const prune = () => home.ledger.transact((tx) => pruneMessages(tx, clock.now(), 1));

  const pruned = [await prune(), await prune(), await prune()];

  expect(pruned).toEqual([1, 1, 0]);
  expect(await home.ledger.committed.all('select message from deliveries')).toHaveLength(1);
  expect(await home.relay.history(young)).toBeDefined();
});

test('pruneMessages() leaves what is not over', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha', kind: 'request' });
  await home.relay.mailboxes.markRead('samantha', [id]);

  const pruned = await home.ledger.transact((tx) => pruneMessages(tx, clock.now() + 1, 10));

  expect(pruned).toBe(0);
});

test('pruneMessages() leaves what still lies in an outbox, or it would be sent again', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const { id = '' } = await home.handIn('jean', 'x', { message: { to: 'samantha' } });
  await home.relay.mailboxes.markRead('samantha', [id]);
  const prune = () => home.ledger.transact((tx) => pruneMessages(tx, clock.now() + 1, 10));

  const before = await prune();
  await home.relay.archived([id]);
  const after = await prune();

  expect([before, after]).toEqual([0, 1]);
});
