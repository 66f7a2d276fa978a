import { describe, expect, test } from 'vitest';
import { type TemporaryRelay, temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { until } from '../../tests/support/until.ts';
import { setPresence } from '../ledger/agents.ts';

describe('a name', () => {
  test('that nobody has is refused with the way to register it', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');

    const sending = home.send('jean', { to: 'nobody' });

    await expect(sending).rejects.toMatchObject({
      code: 'message.no-recipient',
      message: 'There is no agent "nobody".',
      fix: 'aos register nobody',
    });
  });

  test('of an agent that was terminated is refused', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.ledger.transact((tx) => setPresence(tx, 'samantha', 'terminated'));

    const sending = home.send('jean', { to: 'samantha' });

    await expect(sending).rejects.toMatchObject({
      code: 'message.no-recipient',
      message: 'Agent "samantha" was terminated',
    });
  });

  test('of an agent that is inactive still gets its messages', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.ledger.transact((tx) => setPresence(tx, 'samantha', 'inactive'));

    await home.send('jean', { to: 'samantha', body: 'hello' });

    expect(await home.unread('samantha', 1)).toMatchObject([{ body: 'hello' }]);
  });

  test('that no agent can have is refused with its rule', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');

    const sending = home.send('jean', { to: '../samantha' });

    await expect(sending).rejects.toMatchObject({ code: 'message.malformed' });
  });
});

/** How many lie unread with each now. Whoever gets a message gets it in one commit with the others. */
function counts(home: TemporaryRelay, ...names: readonly string[]): Promise<readonly number[]> {
  const list = (name: string) => home.relay.mailboxes.list(name, { limit: 10 });
  return Promise.all(names.map(async (name) => (await list(name)).length));
}

describe('*', () => {
  test('reaches everybody who is active, but for the sender', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared', 'asleep');
    await home.ledger.transact((tx) => setPresence(tx, 'asleep', 'inactive'));

    await home.send('jean', { to: '*', body: 'hello' });

    await home.unread('samantha', 1);
    await home.unread('jared', 1);
    expect(await counts(home, 'jean', 'asleep')).toEqual([0, 0]);
  });

  test('is refused when there is nobody else', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');

    const sending = home.send('jean', { to: '*' });

    await expect(sending).rejects.toMatchObject({
      code: 'message.no-recipient',
      message: 'There is nobody else who could get it',
    });
  });
});

describe('a channel', () => {
  test('reaches its active members, but for the sender', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared', 'gone');
    for (const name of ['jean', 'samantha', 'gone']) {
      await home.relay.groups.join('#news', name, 'owner');
    }
    await home.ledger.transact((tx) => setPresence(tx, 'gone', 'terminated'));

    await home.send('jean', { to: '#news' });

    await home.unread('samantha', 1);
    expect(await counts(home, 'jean', 'jared', 'gone')).toEqual([0, 0, 0]);
  });

  test('without other members is refused with the way to join it', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await home.relay.groups.join('#news', 'jean', 'owner');

    const sending = home.send('jean', { to: '#news' });

    await expect(sending).rejects.toMatchObject({
      code: 'message.no-recipient',
      message: 'Nobody else is in the channel #news',
      fix: 'aos channel join #news NAME',
    });
  });
});

describe('Lead', () => {
  test('is whoever was set', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.relay.groups.setLead('samantha', 'owner');

    await home.send('jean', { to: 'Lead', body: 'hello' });

    expect(await home.unread('samantha', 1)).toMatchObject([{ to: 'Lead', body: 'hello' }]);
  });

  test('is an agent of that name before anybody who was set', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.relay.groups.setLead('samantha', 'owner');
    await home.register('Lead');

    await home.send('jean', { to: 'Lead' });

    await home.unread('Lead', 1);
    await home.unread('samantha', 0);
  });

  test('that nobody is holds messages, and whoever becomes it gets them in order', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    for (const body of ['1', '2', '3']) await home.send('jean', { to: 'Lead', body });
    await home.send('jean', { to: 'Lead', body: 'urgent', priority: 0 });

    const { released } = await home.relay.groups.setLead('samantha', 'owner');

    expect(released).toBe(4);
    const bodies = (await home.unread('samantha', 4)).map(({ body }) => body);
    expect(bodies).toEqual(['urgent', '1', '2', '3']);
    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(4));
  });

  test('moves what was held from one mailbox count to the other', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.send('jean', { to: 'Lead', body: 'four' });

    await home.relay.groups.setLead('samantha', 'owner');

    const sizes = await home.ledger.committed.all('select * from mailboxes order by recipient');
    expect(sizes).toEqual([
      { recipient: 'Lead', pending: 0, pending_bytes: 0 },
      { recipient: 'samantha', pending: 1, pending_bytes: 4 },
    ]);
  });

  test('who was terminated is nobody, and messages are held', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.relay.groups.setLead('samantha', 'owner');
    await home.ledger.transact((tx) => setPresence(tx, 'samantha', 'terminated'));

    const id = await home.send('jean', { to: 'Lead' });

    expect(await home.relay.groups.lead()).toBeUndefined();
    expect(await home.steps(id)).toEqual(['accepted from jean', 'held until somebody is Lead']);
  });

  test('registered while messages are held gets them when it is woken', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const id = await home.send('jean', { to: 'Lead', body: 'held' });
    await home.register('Lead');

    home.relay.wake('Lead');

    await home.until(id, 'delivered');
    expect(home.inboxes.texts('Lead')).toEqual([expect.stringContaining('held')]);
  });
});

test('a message to the owner waits to be taken, and no file is written', async () => {
  await using home = await temporaryRelay();
  await home.register('jean');

  await home.send('jean', { to: 'owner', body: 'done' });

  expect(await home.unread('owner', 1)).toMatchObject([{ body: 'done', state: 'accepted' }]);
  expect(home.inboxes.writes).toBe(0);
});

test('a message to __orchestrator__ is read as soon as it is accepted', async () => {
  await using home = await temporaryRelay();
  await home.register('jean');

  const id = await home.send('jean', {
    to: '__orchestrator__',
    kind: 'status',
    body: 'STATUS: active\n',
  });

  expect(await home.steps(id)).toEqual(['accepted from jean', 'taken by the orchestrator']);
});
