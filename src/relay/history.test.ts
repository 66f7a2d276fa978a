import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';

test('of a message that was delivered, read and acknowledged, every step is told', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const { id = '' } = await home.handIn('jean', 'x', {
    message: { to: 'samantha', kind: 'request' },
  });
  await home.until(id, 'delivered');
  await clock.advance(10);
  await home.relay.filesDone({ archived: [id], gone: [] });
  await clock.advance(10);
  await home.relay.mailboxes.markRead('samantha', [id]);
  await clock.advance(10);

  const { answer } = await home.relay.mailboxes.settle('samantha', id, { kind: 'ack', body: '' });

  const history = await home.relay.history(id);
  expect(history).toMatchObject({ from: 'jean', to: 'samantha', status: 'archived' });
  expect(history?.steps.map(({ what }) => what)).toEqual([
    'accepted from jean as the file x.msg',
    'delivered to samantha as a file in its inbox',
    'its file was moved to the archive',
    'read by samantha',
    'acknowledged by samantha',
    `samantha answered with ack ${answer}`,
  ]);
  const [first = 0, ...times] = history?.steps.map(({ at }) => at) ?? [];
  expect(times.map((at) => at - first)).toEqual([0, 10, 20, 30, 30]);
});

test('of a message that has expired', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha', ttlMs: 1000 });
  await home.until(id, 'delivered');
  await clock.advance(2000);
  const [nack] = await home.unread('jean', 1);

  expect(await home.steps(id)).toEqual([
    'accepted from jean',
    'delivered to samantha as a file in its inbox',
    'expired for samantha: it was not read in time',
    `jean was told by nack ${nack?.id}`,
  ]);
});

test('of a message that its recipient refused', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha' });
  await home.until(id, 'delivered');

  const { answer } = await home.relay.mailboxes.settle('samantha', id, {
    kind: 'nack',
    body: 'no time',
  });

  expect(await home.steps(id)).toEqual(
    expect.arrayContaining([
      'dead for samantha: samantha refused it: no time',
      `samantha answered with nack ${answer}`,
    ]),
  );
});

test('of one to several, each with its own fate', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha', 'jared');
  const id = await home.send('jean', { to: '*' });
  await home.unread('samantha', 1);
  await home.unread('jared', 1);

  await home.relay.mailboxes.markRead('jared', [id]);

  const states = (await home.relay.history(id))?.deliveries.map(({ recipient, state }) => [
    recipient,
    state,
  ]);
  expect(Object.fromEntries(states ?? [])).toEqual({ jared: 'read', samantha: 'delivered' });
});

test('of what nobody knows, nothing is told', async () => {
  await using home = await temporaryRelay();

  expect(await home.relay.history('f'.repeat(32))).toBeUndefined();
});

test('ids are found by how they begin', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha' });

  expect(await home.relay.idsFrom(id.slice(0, 14), 10)).toEqual([id]);
  expect(await home.relay.idsFrom('ffff', 10)).toEqual([]);
});
