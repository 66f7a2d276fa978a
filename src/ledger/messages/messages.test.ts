import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { filesCalled, pruneMessages } from './messages.ts';

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
  await home.relay.filesDone({ archived: [id], gone: [] });
  const after = await prune();

  expect([before, after]).toEqual([0, 1]);
});

test('filesCalled() tells of the first and the latest few of a name, without their bodies', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const body = 'x'.repeat(1000);
  for (let n = 0; n < 30; n++) {
    await home.handIn('jean', 'x', { message: { to: 'samantha', body }, modifiedNs: `${n}` });
  }
  for (const stem of ['x1', 'xx', 'y']) {
    await home.handIn('jean', stem, { message: { to: 'samantha', body } });
  }

  const files = await filesCalled(home.ledger.committed, 'jean', 'x');

  const times = files.map(({ file_mtime_ns }) => Number(file_mtime_ns));
  expect(times).toEqual([0, 29, 28, 27, 26, 25, 24, 23, 22]);
  expect(Object.keys(files[0] ?? {})).not.toContain('body');
  expect(JSON.stringify(files)).not.toContain(body);
});
