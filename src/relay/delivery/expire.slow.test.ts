import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { until } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';
import { mailboxSize } from '../../ledger/messages/messages.ts';

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
    await until(() => expect(home.inboxes.names('samantha')).toEqual([]));
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

test('one inbox that is broken keeps no file of another that has expired', async () => {
  await using here = await world();
  const { home, clock } = here;
  await home.register('jared');
  const id = await home.send('jean', { to: '*', ttlMs: 4000 });
  for (const name of ['samantha', 'jared']) {
    await until(() => expect(home.inboxes.names(name)).toHaveLength(1));
  }
  await home.until(id, 'delivered');
  const remove = home.inboxes.remove.bind(home.inboxes);
  const asked: string[] = [];
  // The first that is looked into, whichever that is.
  home.inboxes.remove = async (recipient, names) => {
    asked.push(recipient);
    if (recipient === asked[0]) throw new AosError('disk.not-a-folder', { message: 'A symlink' });
    return remove(recipient, names);
  };

  await clock.advance(6000);

  await home.unread('jean', 2);
  const lying = () => ['samantha', 'jared'].filter((name) => home.inboxes.names(name).length > 0);
  await until(() => expect(lying()).toEqual(asked.slice(0, 1)));
});

test('what a reader who is attached does not take expires 5 s later, and its sender is told', async () => {
  await using here = await world();
  const { home, clock } = here;
  const room = Promise.withResolvers<void>();
  const pushed: string[] = [];
  await using _attached = home.relay.mailboxes.attach('samantha', {
    push: async (items) => {
      pushed.push(...items.map(({ body }) => body));
      await room.promise;
    },
    wants: () => true,
  });
  // Before it is detached, which waits for what is being pushed.
  using _room = { [Symbol.dispose]: () => room.resolve() };
  const first = await home.send('jean', { to: 'samantha', ttlMs: 3000, body: 'held' });
  await until(() => expect(pushed).toEqual(['held']));
  const second = await home.send('jean', { to: 'samantha', ttlMs: 3000, body: 'behind' });

  await clock.advance(7000);
  for (const id of [first, second]) await home.until(id, 'accepted');
  await clock.advance(3000);

  for (const id of [first, second]) await home.until(id, 'expired');
  expect(await home.unread('jean', 2)).toMatchObject([
    { kind: 'nack', body: expect.stringContaining('it could not be delivered in time') },
    { kind: 'nack' },
  ]);
  expect(await mailboxSize(home.ledger.committed, 'samantha')).toMatchObject({ pending: 0 });

  room.resolve();
  const third = await home.send('jean', { to: 'samantha', body: 'later' });
  await home.until(third, 'delivered');
  expect(pushed).toEqual(['held', 'later']);
});

describe('what has expired and is not ended yet is not delivered', () => {
  /** A message that its broken inbox did not take. */
  async function waiting() {
    const here = await world();
    const { home } = here;
    home.inboxes.failure = new AosError('disk.full', { message: 'The disk is full' });
    const id = await home.send('jean', { to: 'samantha', ttlMs: 60_000, body: 'old' });
    const tries = () =>
      home.ledger.committed.get('select 1 from deliveries where attempts = 1 and owner is null');
    await until(async () => expect(await tries()).toBeDefined());
    home.inboxes.failure = undefined;
    return { ...here, id };
  }

  test('when it is claimed', async () => {
    await using here = await waiting();
    const { home, clock } = here;

    // Nobody who sleeps wakes from that, so that nothing is ended.
    clock.jump(61_000);
    const next = await home.send('jean', { to: 'samantha', body: 'new' });

    await home.until(next, 'delivered');
    expect(home.inboxes.texts('samantha')).toEqual([expect.stringContaining('new')]);
  });

  test('when the relay starts: it is ended before', async () => {
    await using here = await waiting();
    const { home, clock, id } = here;

    clock.jump(61_000);
    await home.restart();

    expect(await home.relay.history(id)).toMatchObject({ deliveries: [{ state: 'expired' }] });
    expect(await home.unread('jean', 1)).toMatchObject([{ kind: 'nack', re: id }]);
    expect(home.inboxes.texts('samantha')).toEqual([]);
  });

  test('when it waited in memory for its turn', async () => {
    await using here = await world();
    const { home, clock } = here;
    const gate = Promise.withResolvers<void>();
    home.inboxes.gate = gate.promise;
    await home.send('jean', { to: 'samantha', body: 'first' });
    await until(() => expect(home.inboxes.writes).toBe(1));
    const old = await home.send('jean', { to: 'samantha', ttlMs: 60_000, body: 'old' });
    const next = await home.send('jean', { to: 'samantha', body: 'new' });

    clock.jump(61_000);
    gate.resolve();

    await home.until(next, 'delivered');
    const texts = home.inboxes.texts('samantha').map((text) => text.split('\n\n')[1]);
    expect(texts).toEqual(['first', 'new']);
    await clock.advance(2000);
    await home.until(old, 'expired');
    await home.unread('jean', 1);
  });

  test('when the relay starts: what its sender is told is delivered once it has', async () => {
    await using here = await waiting();
    const { home, clock, id } = here;
    const written: string[] = [];
    const expecting = (recipient: string) => void written.push(recipient);

    clock.jump(61_000);
    await home.restart({ inboxWatch: { expect: expecting, forget: () => {} } });

    // Whoever opened it could not have been told yet of files that are read.
    expect(written).toEqual([]);
    expect(await home.unread('jean', 1)).toMatchObject([{ kind: 'nack', re: id }]);
    await until(() => expect(written).toEqual(['jean']));
  });
});
