import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { until } from '../../../tests/support/until.ts';
import { mailboxSize } from '../../ledger/messages/messages.ts';

describe('reading', () => {
  test('ends an ordinary message', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');

    const read = await home.relay.mailboxes.markRead('samantha', [id]);

    expect(read).toEqual([id]);
    const row = await home.ledger.committed.get('select state, ended_at from deliveries');
    expect(row).toEqual({ state: 'read', ended_at: expect.any(Number) });
  });

  test('does not end a request', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha', kind: 'request' });
    await home.until(id, 'delivered');

    await home.relay.mailboxes.markRead('samantha', [id]);

    const row = await home.ledger.committed.get('select state, ended_at from deliveries');
    expect(row).toEqual({ state: 'read', ended_at: null });
  });

  test('a second time changes nothing', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.relay.mailboxes.markRead('samantha', [id]);

    const again = await home.relay.mailboxes.markRead('samantha', [id]);

    expect(again).toEqual([]);
    expect(await mailboxSize(home.ledger.committed, 'samantha')).toMatchObject({ pending: 0 });
  });

  test('of a message of somebody else does nothing', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    const id = await home.send('jean', { to: 'samantha' });

    const read = await home.relay.mailboxes.markRead('jared', [id]);

    expect(read).toEqual([]);
  });

  test('is told the sender who asked for a receipt, once', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha', receipt: 'read', thread: 't' });

    await home.relay.mailboxes.markRead('samantha', [id]);
    await home.relay.mailboxes.markRead('samantha', [id]);

    expect(await home.unread('jean', 1)).toMatchObject([
      { kind: 'status', re: id, thread: 't', body: 'samantha has read it.\n' },
    ]);
  });
});

describe('an ack', () => {
  test('ends the message, and goes to its sender', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha', kind: 'request', thread: 't' });
    await home.until(id, 'delivered');

    const settled = await home.relay.mailboxes.settle('samantha', id, { kind: 'ack', body: 'ok' });

    expect(settled).toMatchObject({ id, state: 'acked' });
    expect(await home.unread('jean', 1)).toMatchObject([
      { id: settled.answer, kind: 'ack', re: id, from: 'samantha', thread: 't', body: 'ok' },
    ]);
  });

  test('that comes before the row says delivered counts, and the file is taken away again', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const { promise, resolve } = Promise.withResolvers<void>();
    home.inboxes.gate = promise;
    const id = await home.send('jean', { to: 'samantha' });

    await home.relay.mailboxes.settle('samantha', id, { kind: 'ack', body: '' });
    resolve();

    await home.unread('jean', 1);
    expect(await home.relay.history(id)).toMatchObject({ deliveries: [{ state: 'acked' }] });
    await until(() => expect(home.inboxes.names('samantha')).toEqual([]));
  });

  test('after the message was read and is over changes nothing, and is passed on', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.relay.mailboxes.markRead('samantha', [id]);

    const settled = await home.relay.mailboxes.settle('samantha', id, { kind: 'ack', body: '' });

    expect(settled.state).toBe('read');
    await home.unread('jean', 1);
  });

  test('after a nack changes nothing', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    const { settle } = home.relay.mailboxes;
    await settle('samantha', id, { kind: 'nack', body: 'no' });

    const again = await settle('samantha', id, { kind: 'ack', body: '' });

    expect(again.state).toBe('dead');
    expect(await mailboxSize(home.ledger.committed, 'samantha')).toMatchObject({ pending: 0 });
  });

  test('of what was never sent to one is refused', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    const id = await home.send('jean', { to: 'samantha' });

    const settling = home.relay.mailboxes.settle('jared', id, { kind: 'ack', body: '' });

    await expect(settling).rejects.toMatchObject({
      code: 'message.unknown',
      message: `There is no message "${id}" that was sent to you`,
    });
  });
});

describe('a nack', () => {
  test('makes the message dead with the reason', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');

    await home.relay.mailboxes.settle('samantha', id, { kind: 'nack', body: 'too long\nmore' });

    expect(await home.relay.history(id)).toMatchObject({
      deliveries: [{ state: 'dead', error: 'samantha refused it: too long' }],
    });
    await home.unread('jean', 1);
  });

  test('without a word says so', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });

    await home.relay.mailboxes.settle('samantha', id, { kind: 'nack', body: ' \n' });

    expect(await home.relay.history(id)).toMatchObject({
      deliveries: [{ error: 'samantha refused it: it gave no reason' }],
    });
  });
});

describe('a response', () => {
  test('ends the request that it answers', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha', kind: 'request' });
    await home.until(id, 'delivered');

    await home.send('samantha', { to: 'jean', kind: 'response', re: id, body: '42' });

    expect(await home.relay.history(id)).toMatchObject({ deliveries: [{ state: 'acked' }] });
    expect(await home.unread('jean', 1)).toMatchObject([{ kind: 'response', body: '42' }]);
  });

  test('to what is no request is refused', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });

    const responding = home.send('samantha', { to: 'jean', kind: 'response', re: id });

    await expect(responding).rejects.toMatchObject({
      code: 'message.ended',
      message: `Message ${id} is no request, but of the kind message, and needs no response`,
    });
  });

  test('that comes too late is refused, and does not arrive', async () => {
    const clock = new SimulatedClock();
    await using home = await temporaryRelay({ clock });
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha', kind: 'request' });
    await home.until(id, 'delivered');
    await clock.advance(61_000);
    await home.until(id, 'expired');

    const responding = home.send('samantha', { to: 'jean', kind: 'response', re: id });

    await expect(responding).rejects.toMatchObject({
      code: 'message.ended',
      message: `The request ${id} is over (expired): nobody waits for a response`,
      fix: `aos why ${id}`,
    });
    expect(await home.unread('jean', 1)).toMatchObject([{ kind: 'nack' }]);
  });
});

describe('an answer that does not go to who sent the message', () => {
  test.each([
    ['ack', 'jared'],
    ['nack', 'jared'],
    ['response', 'jared'],
    ['ack', '__orchestrator__'],
    ['nack', '__orchestrator__'],
    ['ack', 'Lead'],
    ['nack', '#team'],
  ] as const)('is refused: %s to %s', async (kind, to) => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    for (const member of ['samantha', 'jared'])
      await home.relay.groups.join('#team', member, 'owner');
    const id = await home.send('jean', { to: 'samantha', kind: 'request' });
    await home.until(id, 'delivered');

    const answering = home.send('samantha', { to, kind, re: id, body: 'no' });

    await expect(answering).rejects.toMatchObject({
      code: 'message.malformed',
      message: `Message ${id} came from jean, and its answer goes to somebody else`,
      fix: 'Write TO: jean',
    });
    await home.until(id, 'delivered');
    for (const other of ['jean', 'jared']) await home.unread(other, 0);
  });

  test('in a file is told who wrote it, and the message can still be answered', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha', 'jared');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');

    await home.handIn('samantha', 'x', { message: { to: 'jared', kind: 'nack', re: id } });
    await home.handIn('samantha', 'y', { message: { to: 'jean', kind: 'nack', re: id } });

    await home.until(id, 'dead');
    expect(await home.unread('jean', 1)).toMatchObject([{ kind: 'nack', re: id }]);
    expect(await home.relay.mailboxes.list('samantha', { limit: 9 })).toMatchObject([
      { kind: 'nack', body: expect.stringContaining('Write TO: jean') },
    ]);
  });

  test('but reaches them by another name counts', async () => {
    await using home = await temporaryRelay();
    await home.register('Lead', 'samantha', 'jared');
    const id = await home.send('Lead', { to: 'samantha' });
    await home.until(id, 'delivered');

    await home.send('samantha', { to: '*', kind: 'ack', re: id });

    await home.until(id, 'acked');
    await home.unread('Lead', 1);
  });
});
