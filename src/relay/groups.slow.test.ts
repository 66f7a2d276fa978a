import { describe, expect, test } from 'vitest';
import { type TemporaryRelay, temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { until } from '../../tests/support/until.ts';
import { setPresence } from '../ledger/agents.ts';
import type { MailboxItem } from './relay.ts';

async function event(home: TemporaryRelay, eventType: string): Promise<string> {
  return home.send('jean', { to: '*', kind: 'event', eventType, body: eventType });
}

async function eventKinds(home: TemporaryRelay): Promise<readonly string[]> {
  const events = await home.ledger.committed.all<{ kind: string }>(
    `select kind from events where kind not like 'message.%' order by seq`,
  );
  return events.map(({ kind }) => kind);
}

describe('a channel', () => {
  test('is joined and left once, and each change is an event', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const { groups } = home.relay;

    const answers = [
      await groups.join('#news', 'jean', 'owner'),
      await groups.join('#news', 'jean', 'owner'),
      await groups.leave('#news', 'jean', 'owner'),
      await groups.leave('#news', 'jean', 'owner'),
    ];

    expect(answers).toEqual([true, false, true, false]);
    expect(await eventKinds(home)).toEqual(['channel.joined', 'channel.left']);
  });

  test('is listed with those who are in it', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const { groups } = home.relay;
    await groups.join('#news', 'samantha', 'owner');
    await groups.join('#news', 'jean', 'owner');
    await groups.join('#ops', 'jean', 'owner');

    expect(await groups.channels()).toEqual([
      { channel: '#news', agents: ['jean', 'samantha'] },
      { channel: '#ops', agents: ['jean'] },
    ]);
  });

  test.each(['news', '#', '#a b', `#${'x'.repeat(64)}`])('cannot be called %s', async (name) => {
    await using home = await temporaryRelay();
    await home.register('jean');

    const joining = home.relay.groups.join(name, 'jean', 'owner');

    await expect(joining).rejects.toMatchObject({ code: 'channel.bad-name' });
  });

  test('is not joined by who is not there', async () => {
    await using home = await temporaryRelay();

    const joining = home.relay.groups.join('#news', 'nobody', 'owner');

    await expect(joining).rejects.toMatchObject({
      code: 'agent.unknown',
      message: 'There is no agent "nobody"',
    });
  });
});

describe('setLead', () => {
  test('refuses who is not there, and who was terminated', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await home.ledger.transact((tx) => setPresence(tx, 'jean', 'terminated'));
    const { groups } = home.relay;

    await expect(groups.setLead('nobody', 'owner')).rejects.toMatchObject({
      code: 'agent.unknown',
    });
    await expect(groups.setLead('jean', 'owner')).rejects.toMatchObject({
      code: 'message.no-recipient',
      message: 'Agent "jean" was terminated and cannot be Lead',
    });
    expect(await groups.lead()).toBeUndefined();
  });

  test('is refused while an agent is called Lead, which keeps its messages', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'Lead');

    const setting = home.relay.groups.setLead('samantha', 'owner');

    await expect(setting).rejects.toMatchObject({ code: 'lead.taken' });
    const id = await home.send('jean', { to: 'Lead' });
    await home.until(id, 'delivered');
    expect(await home.relay.history(id)).toMatchObject({ deliveries: [{ recipient: 'Lead' }] });
  });

  test('goes on to the next one', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    await home.relay.groups.setLead('samantha', 'owner');

    await home.relay.groups.setLead('jared', 'owner');

    expect(await home.relay.groups.lead()).toBe('jared');
  });
});

describe('a subscription', () => {
  test('is there once, however often it is asked for', async () => {
    await using home = await temporaryRelay();
    await home.register('samantha');
    const { groups } = home.relay;

    const first = await groups.subscribe('samantha', 'build.done', 'owner');
    const again = await groups.subscribe('samantha', 'build.done', 'owner');

    expect(again).toEqual(first);
    expect(await groups.subscriptions('samantha')).toEqual([first]);
    expect(await eventKinds(home)).toEqual(['subscription.made']);
  });

  test.each(['Build', 'a..b', '', '*.done', 'x'.repeat(101)])(
    'to %s is refused',
    async (eventType) => {
      await using home = await temporaryRelay();
      await home.register('samantha');

      const subscribing = home.relay.groups.subscribe('samantha', eventType, 'owner');

      await expect(subscribing).rejects.toMatchObject({ code: 'message.malformed' });
    },
  );

  test.each([
    ['build.done', ['build.done'], ['build.failed', 'build', 'build.done.late']],
    ['build.*', ['build.done', 'build.a.b'], ['build', 'builder.done']],
    ['*', ['build.done', 'anything'], []],
  ])('to %s gets what it covers, and nothing else', async (pattern, covered, others) => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    const { groups } = home.relay;
    const { id } = await groups.subscribe('samantha', pattern, 'owner');
    // Somebody always gets it.
    await groups.subscribe('jared', '*', 'owner');

    for (const type of [...covered, ...others]) await event(home, type);

    const rows = await home.ledger.committed.all<{ event_type: string; subscription: number }>(
      `select event_type, subscription from deliveries d join messages m on m.id = d.message
       where recipient = 'samantha' order by d.id`,
    );
    expect(rows).toEqual(covered.map((event_type) => ({ event_type, subscription: id })));
  });

  test('is only for events: others find them in the inbox', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    await home.relay.groups.subscribe('samantha', 'build.done', 'owner');

    await event(home, 'disk.full');

    expect(await home.unread('jared', 1)).toMatchObject([{ eventType: 'disk.full' }]);
    await home.unread('samantha', 0);
  });

  test('of somebody who has two that fit is used once', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.relay.groups.subscribe('samantha', 'build.*', 'owner');
    await home.relay.groups.subscribe('samantha', '*', 'owner');

    await event(home, 'build.done');

    const row = await home.ledger.committed.get(
      `select count(*) as deliveries from deliveries where recipient = 'samantha'`,
    );
    expect(row).toEqual({ deliveries: 1 });
  });

  test('keeps its place: the cursor moves when an event is read, and never back', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const { groups, mailboxes } = home.relay;
    const made = await groups.subscribe('samantha', 'build.*', 'owner');
    const ids = [await event(home, 'build.a'), await event(home, 'build.b')];

    const cursors: number[] = [];
    for (const id of ids.toReversed()) {
      await mailboxes.markRead('samantha', [id]);
      cursors.push((await groups.subscriptions('samantha'))[0]?.cursor ?? 0);
    }

    expect(cursors[0]).toBeGreaterThan(made.cursor);
    expect(cursors[1]).toBe(cursors[0]);
  });

  test('begins with what comes after it', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await event(home, 'build.early');

    const { cursor } = await home.relay.groups.subscribe('samantha', 'build.*', 'owner');

    const row = await home.ledger.committed.get<{ last: number }>(
      'select max(id) as last from messages',
    );
    expect(cursor).toBe(row?.last);
  });

  test('that ends hands what waits to the inbox', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.relay.groups.subscribe('samantha', 'build.*', 'owner');
    const id = await event(home, 'build.done');

    const ended = await home.relay.groups.unsubscribe('samantha', 'build.*', 'owner');

    expect(ended).toBe(true);
    await home.until(id, 'delivered');
    expect(home.inboxes.texts('samantha')).toHaveLength(1);
  });

  test('that ends while its events are pushed hands them to the inbox when the sink leaves', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.relay.groups.subscribe('samantha', 'build.*', 'owner');
    const items: MailboxItem[] = [];
    const attached = home.relay.mailboxes.attach('samantha', {
      push: async (batch) => void items.push(...batch),
      wants: ({ subscription }) => subscription !== null,
    });
    const id = await event(home, 'build.done');
    await home.until(id, 'delivered');
    expect(items).toHaveLength(1);
    await home.relay.groups.unsubscribe('samantha', 'build.*', 'owner');

    await attached[Symbol.asyncDispose]();

    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(1));
  });

  test('that is not there cannot end', async () => {
    await using home = await temporaryRelay();
    await home.register('samantha');

    expect(await home.relay.groups.unsubscribe('samantha', 'build.*', 'owner')).toBe(false);
  });
});
