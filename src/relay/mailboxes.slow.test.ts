import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { type TemporaryRelay, temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { until } from '../../tests/support/until.ts';
import { AosError } from '../kernel/errors.ts';
import { findAgent, setPresence } from '../ledger/agents.ts';
import type { MailboxItem } from './relay.ts';

/** A connection that keeps what it is sent. */
function sink(wanted: (subscription: number | null) => boolean = () => true) {
  const items: MailboxItem[] = [];
  return {
    items,
    push: async (batch: readonly MailboxItem[]) => void items.push(...batch),
    wants: ({ subscription }: { readonly subscription: number | null }) => wanted(subscription),
  };
}

async function stateOf(home: TemporaryRelay, id: string) {
  return (await home.relay.history(id))?.deliveries[0]?.state;
}

describe('take', () => {
  test('hands a message out once, and takes its file away', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');

    const first = await home.relay.mailboxes.take('samantha', { limit: 10 });
    const again = await home.relay.mailboxes.take('samantha', { limit: 10 });

    expect(first).toMatchObject([{ id, state: 'read' }]);
    expect(again).toEqual([]);
    expect(home.inboxes.names('samantha')).toEqual([]);
  });

  test('by two at once hands each message to one of them', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await home.send('jean', { to: 'owner' }));

    const taken = await Promise.all(
      [1, 2, 3].map(() => home.relay.mailboxes.take('owner', { limit: 15 })),
    );

    const handedOut = taken.flat().map(({ id }) => id);
    expect([...new Set(handedOut)]).toHaveLength(handedOut.length);
    const left = await home.relay.mailboxes.take('owner', { limit: 100 });
    expect([...handedOut, ...left.map(({ id }) => id)].sort()).toEqual(ids.sort());
  });

  test('comes in the order of priorities, then of time, and no more than asked for', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    for (const [body, priority] of [
      ['b', 5],
      ['c', 5],
      ['a', 1],
      ['d', 9],
    ] as const) {
      await home.send('jean', { to: 'owner', body, priority });
    }

    const taken = await home.relay.mailboxes.take('owner', { limit: 3 });

    expect(taken.map(({ body }) => body)).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['kind', { kinds: ['request'] } as const, ['asked']],
    ['sender', { from: 'jared' }, ['other']],
  ])('can ask for a %s only', async (_what, query, bodies) => {
    await using home = await temporaryRelay();
    await home.register('jean', 'jared');
    await home.send('jean', { to: 'owner', body: 'plain' });
    await home.send('jean', { to: 'owner', kind: 'request', body: 'asked' });
    await home.send('jared', { to: 'owner', body: 'other' });

    const taken = await home.relay.mailboxes.take('owner', { limit: 10, ...query });

    expect(taken.map(({ body }) => body)).toEqual(bodies);
  });

  test('can ask for the answers to one message only', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('owner', { to: 'samantha', kind: 'request' });
    await home.until(id, 'delivered');
    await home.send('jean', { to: 'owner', body: 'noise' });
    await home.send('samantha', { to: 'owner', kind: 'response', re: id, body: 'answer' });

    const taken = await home.relay.mailboxes.take('owner', { limit: 10, re: id });

    expect(taken.map(({ body }) => body)).toEqual(['answer']);
  });

  test('answers although the files cannot be taken away', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');
    home.inboxes.lookFailure = new AosError('disk.failed', { message: 'The disk failed' });

    const taken = await home.relay.mailboxes.take('samantha', { limit: 10 });

    expect(taken).toMatchObject([{ id }]);
  });

  test('is a sign of life', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');
    await home.ledger.transact((tx) => setPresence(tx, 'samantha', 'inactive'));

    await home.relay.mailboxes.take('samantha', { limit: 10 });

    const samantha = await findAgent(home.ledger.committed, 'samantha');
    expect(samantha).toMatchObject({ status: 'active', last_seen_at: expect.any(Number) });
  });
});

test('a file that is taken out of the inbox has been read', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha' });
  await home.until(id, 'delivered');

  await home.relay.gone('samantha', home.inboxes.names('samantha'));

  expect(await stateOf(home, id)).toBe('read');
});

test('a file that is gone before its row says delivered has been read', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const written: string[] = [];
  const { write } = home.inboxes;
  home.inboxes.write = async (recipient, files) => {
    const batch = await write.call(home.inboxes, recipient, files);
    written.push(...files.map(({ name }) => name));
    await home.relay.gone(recipient, written);
    return batch;
  };

  const id = await home.send('jean', { to: 'samantha' });

  await home.until(id, 'read');
});

test('a name that is none of ours means nothing', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha' });
  await home.until(id, 'delivered');

  await home.relay.gone('samantha', ['note.txt', '1-x.msg', `${'1'.repeat(19)}-00000000.msg`]);

  expect(await stateOf(home, id)).toBe('delivered');
});

test('the net under the notices finds what was taken away unseen', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha', 'jared');
  const id = await home.send('jean', { to: 'samantha' });
  const other = await home.send('jean', { to: 'jared' });
  await home.until(id, 'delivered');
  await home.until(other, 'delivered');
  for (const name of home.inboxes.names('samantha')) home.inboxes.takeAway('samantha', name);

  await clock.advance(31_000);

  await home.until(id, 'read');
  expect(await stateOf(home, other)).toBe('delivered');
});

test('one inbox that cannot be read does not keep the net from the others', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'adam', 'samantha');
  const ids = [
    await home.send('jean', { to: 'adam' }),
    await home.send('jean', { to: 'samantha' }),
  ];
  for (const id of ids) await home.until(id, 'delivered');
  for (const name of home.inboxes.names('samantha')) home.inboxes.takeAway('samantha', name);
  const { list } = home.inboxes;
  home.inboxes.list = async (recipient) => {
    if (recipient === 'adam') throw new AosError('disk.not-a-folder', { message: 'No folder' });
    return list.call(home.inboxes, recipient);
  };

  await clock.advance(31_000);

  await home.until(ids[1] ?? '', 'read');
  expect(await stateOf(home, ids[0] ?? '')).toBe('delivered');
});

describe('whoever is attached', () => {
  test('gets messages instead of the inbox', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const connection = sink();
    await using _attached = home.relay.mailboxes.attach('samantha', connection);

    const id = await home.send('jean', { to: 'samantha', body: 'hello' });

    await home.until(id, 'delivered');
    expect(connection.items).toMatchObject([{ id, from: 'jean', body: 'hello' }]);
    expect(home.inboxes.writes).toBe(0);
  });

  test('gets what has waited', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const id = await home.send('jean', { to: 'owner' });
    const connection = sink();

    await using _attached = home.relay.mailboxes.attach('owner', connection);

    await home.until(id, 'delivered');
    expect(connection.items).toHaveLength(1);
  });

  test('and leaves without reading gives back what it was pushed', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const attached = home.relay.mailboxes.attach('samantha', sink());
    const read = await home.send('jean', { to: 'samantha', body: 'read' });
    const unread = await home.send('jean', { to: 'samantha', body: 'unread' });
    await home.until(unread, 'delivered');
    await home.relay.mailboxes.markRead('samantha', [read]);

    await attached[Symbol.asyncDispose]();

    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(1));
    expect(home.inboxes.texts('samantha')[0]).toContain('unread');
    expect(await home.steps(unread)).toContain('samantha left without reading it; it waits again');
    expect(await stateOf(home, read)).toBe('read');
  });

  test('may say that it has read before the row says delivered', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const reading: Promise<unknown>[] = [];
    await using _attached = home.relay.mailboxes.attach('samantha', {
      push: async (items) => {
        const ids = items.map(({ id }) => id);
        await home.relay.mailboxes.markRead('samantha', ids);
      },
      wants: () => true,
    });

    const id = await home.send('jean', { to: 'samantha' });

    await home.until(id, 'read');
    await Promise.all(reading);
    const events = await home.ledger.committed.all<{ kind: string }>(
      `select kind from events where subject = 'message:' || $1 order by seq`,
      [id],
    );
    expect(events.map(({ kind }) => kind)).toEqual(['message.accepted', 'message.read']);
  });

  test('and has left while the push was noted gives that back as well', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const gate = Promise.withResolvers<void>();
    const attached = home.relay.mailboxes.attach('samantha', {
      push: () => gate.promise,
      wants: () => true,
    });
    const id = await home.send('jean', { to: 'samantha', body: 'hello' });

    const leaving = attached[Symbol.asyncDispose]();
    gate.resolve();
    await leaving;

    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(1));
    await home.until(id, 'delivered');
  });
});

test('whoever waits for mail is woken by it', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean');
  const waiting = home.relay.mailboxes.wait('owner', 60_000);

  await home.send('jean', { to: 'owner' });

  await expect(waiting).resolves.toBeUndefined();
});

test('whoever waits for mail is let go when the time is up, or when they want to', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  const stop = new AbortController();
  const patient = home.relay.mailboxes.wait('owner', 60_000);
  const stopped = home.relay.mailboxes.wait('owner', 60_000, stop.signal);

  stop.abort(new Error('gone'));

  await expect(stopped).rejects.toThrow('gone');
  await clock.advance(60_000);
  await expect(patient).resolves.toBeUndefined();
});
