import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { mailboxSize } from '../ledger/mailboxes.ts';

const dayMs = 86_400_000;

async function world() {
  const clock = new SimulatedClock();
  const home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  return { clock, home, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

describe('a message whose time is up', () => {
  test('and that nobody read has expired: its file goes, and its sender is told once', async () => {
    await using here = await world();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha', ttlMs: 5000, thread: 't' });
    await home.until(id, 'delivered');

    await clock.advance(6000);

    await home.until(id, 'expired');
    expect(await home.unread('jean', 1)).toMatchObject([
      {
        kind: 'nack',
        re: id,
        thread: 't',
        body: 'Your message to samantha has expired: it was not read in time.\n',
      },
    ]);
    await expect.poll(() => home.inboxes.names('samantha')).toEqual([]);
    expect(await mailboxSize(home.ledger.committed, 'samantha')).toMatchObject({ pending: 0 });
    await clock.advance(6000);
    await home.unread('jean', 1);
  });

  test('a moment later is not touched before', async () => {
    await using here = await world();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha', ttlMs: 5000 });
    await home.until(id, 'delivered');

    await clock.advance(4000);

    await home.until(id, 'delivered');
    await home.unread('jean', 0);
  });

  test('and that waits for a Lead has expired without having been delivered', async () => {
    await using here = await world();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'Lead', ttlMs: 5000 });

    await clock.advance(6000);

    await home.until(id, 'expired');
    expect(await home.unread('jean', 1)).toMatchObject([
      { body: 'Your message to Lead has expired: it could not be delivered in time.\n' },
    ]);
  });

  test('and that was read is over already', async () => {
    await using here = await world();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha', ttlMs: 5000 });
    await home.relay.mailboxes.markRead('samantha', [id]);

    await clock.advance(6000);

    await home.until(id, 'read');
    await home.unread('jean', 0);
  });

  test('lives for a week when it does not say', async () => {
    await using here = await world();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');

    clock.jump(7 * dayMs - 5000);
    await clock.advance(2000);
    await home.until(id, 'delivered');
    await clock.advance(5000);

    await home.until(id, 'expired');
  });
});

describe('a request', () => {
  test('that was read and not answered in a minute has expired', async () => {
    await using here = await world();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha', kind: 'request' });
    await home.relay.mailboxes.markRead('samantha', [id]);

    await clock.advance(61_000);

    await home.until(id, 'expired');
    expect(await home.unread('jean', 1)).toMatchObject([
      { body: 'Your message to samantha has expired: nobody answered it in time.\n' },
    ]);
  });
});

test('nobody is told of a nack that nobody read', async () => {
  await using here = await world();
  const { home, clock } = here;
  const id = await home.send('jean', { to: 'samantha', ttlMs: 1000 });
  await home.relay.mailboxes.settle('samantha', id, { kind: 'nack', body: 'no' });
  const [nack] = await home.unread('jean', 1);

  clock.jump(8 * dayMs);
  await clock.advance(2000);

  await home.until(nack?.id ?? '', 'expired');
  await home.unread('samantha', 0);
  await home.unread('jean', 0);
});

test('nobody is told when what the relay itself has told has expired', async () => {
  await using here = await world();
  const { home, clock } = here;
  const id = await home.send('jean', { to: 'samantha', receipt: 'read' });
  await home.relay.mailboxes.markRead('samantha', [id]);
  const [receipt] = await home.unread('jean', 1);

  clock.jump(8 * dayMs);
  await clock.advance(2000);

  await home.until(receipt?.id ?? '', 'expired');
  const told = await home.ledger.committed.get(
    `select count(*) as messages from messages where target = '__orchestrator__'`,
  );
  expect(told).toEqual({ messages: 0 });
});
