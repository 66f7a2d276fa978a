import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { type Draft, temporaryRelay, wholeMessage } from '../../tests/support/temporary-relay.ts';
import { AosError } from '../kernel/errors.ts';
import { findAgent, setPresence } from '../ledger/agents.ts';
import { readEvents } from '../ledger/events.ts';
import { grantsHeldBy } from '../ledger/security/grants.ts';
import { isReferredTo } from '../ledger/transfers/blobs.ts';
import { noMetrics } from './deps.ts';
import type { Acceptance } from './envelope.ts';

const attachment = 'a'.repeat(64);

describe('a dedup key', () => {
  test('makes a repeated send one message', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');

    const first = await home.send('jean', { to: 'samantha', dedupKey: 'k', body: 'one' });
    const again = await home.send('jean', { to: 'samantha', dedupKey: 'k', body: 'two' });

    expect(again).toBe(first);
    expect(await home.unread('samantha', 1)).toMatchObject([{ body: 'one' }]);
  });

  test('is its own for every sender', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'jared', 'samantha');

    await home.send('jean', { to: 'samantha', dedupKey: 'k' });
    await home.send('jared', { to: 'samantha', dedupKey: 'k' });

    await home.unread('samantha', 2);
  });

  test('that was used by a file does not put the second file over the first in the archive', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const message = { to: 'samantha', dedupKey: 'k' };
    const first = await home.handIn('jean', 'one', { message });

    const again = await home.handIn('jean', 'two', { message });

    expect(again).toMatchObject({ kind: 'duplicate', id: first.id, archive: { stem: 'two' } });
    expect(first).toMatchObject({ archive: { agent: 'jean', stem: 'one' } });
  });

  test('of a message that was refused can be used again', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await home.handIn('jean', 'one', { message: { to: 'samantha', dedupKey: 'k' } });
    await home.register('samantha');

    const again = await home.handIn('jean', 'two', { message: { to: 'samantha', dedupKey: 'k' } });

    expect(again).toMatchObject({ kind: 'accepted' });
  });
});

describe('a file', () => {
  test('that comes again as it was is the same message', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const first = await home.handIn('jean', 'x', { message: { to: 'samantha' } });

    const again = await home.handIn('jean', 'x', { message: { to: 'samantha' } });

    expect(again).toMatchObject({ kind: 'duplicate', id: first.id, archive: { stem: 'x' } });
    await home.unread('samantha', 1);
  });

  test('that was edited is a new message with a stamp behind its name', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const message = { to: 'samantha' };
    await home.handIn('jean', 'x', { message });

    const second = await home.handIn('jean', 'x', { message, modifiedNs: '2' });
    const third = await home.handIn('jean', 'x', { message, modifiedNs: '3' });

    expect(second).toMatchObject({
      kind: 'accepted',
      archive: { stem: expect.stringMatching(/^x~\d{19}$/) },
    });
    expect(third).toMatchObject({
      kind: 'accepted',
      archive: { stem: expect.stringMatching(/^x~\d{19}$/) },
    });
  });

  test('may itself have a number, or a word, behind a ~', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const message = { to: 'samantha' };
    for (const stem of ['x', 'x~3', 'x~1word']) await home.handIn('jean', stem, { message });

    const edited = await home.handIn('jean', 'x', { message, modifiedNs: '2' });

    expect(edited).toMatchObject({
      kind: 'accepted',
      archive: { stem: expect.stringMatching(/^x~[0-9a-f]{32}$/) },
    });
  });

  test('that is refused is on record, and its sender is told why', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const fault = new AosError('message.malformed', { message: 'There is no TO', fix: 'Write TO' });

    const refused = await home.handIn('jean', 'x', { fault });

    expect(refused).toMatchObject({ kind: 'refused', error: fault, archive: { stem: 'x' } });
    const [nack] = await home.unread('jean', 1);
    expect(nack).toMatchObject({ kind: 'nack', from: '__orchestrator__', re: refused.id });
    expect(nack?.body).toBe('There is no TO. The file was x.msg.\nWrite TO\n');
    expect(await home.steps(refused.id ?? '')).toEqual([
      'came from jean as the file x.msg and was refused: There is no TO',
      `jean was told by nack ${nack?.id}`,
    ]);
  });

  test('that was refused and comes again is not told of twice', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await home.handIn('jean', 'x', { message: { to: 'nobody' } });

    const again = await home.handIn('jean', 'x', { message: { to: 'nobody' } });

    expect(again.kind).toBe('duplicate');
    await home.unread('jean', 1);
  });

  test('is noted as archived once it was moved', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const { id = '' } = await home.handIn('jean', 'x', { message: { to: 'samantha' } });
    expect(await home.relay.history(id)).toMatchObject({ status: 'processing' });

    await home.relay.filesDone({ archived: [id], gone: [] });

    expect(await home.relay.history(id)).toMatchObject({ status: 'archived' });
  });
});

describe('CHECKSUM', () => {
  test('that is right lets a message pass', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const checksum = hash('sha256', 'hello');

    await home.send('jean', { to: 'samantha', body: 'hello', checksum });

    await home.unread('samantha', 1);
  });

  test('that is wrong is refused', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const checksum = hash('sha256', 'hello');

    const sending = home.send('jean', { to: 'samantha', body: 'hullo', checksum });

    await expect(sending).rejects.toMatchObject({ code: 'message.checksum' });
    await home.unread('samantha', 0);
  });
});

describe('an attachment', () => {
  test('that is not there is refused, with its place', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');

    const sending = home.send('jean', { to: 'samantha', attachments: [attachment] });

    await expect(sending).rejects.toMatchObject({
      code: 'message.no-attachment',
      message: `The attachment sha256:${attachment} is not there`,
      fix: expect.stringContaining(`attachments/aa/${attachment}`),
    });
  });

  test('is kept for as long as a message refers to it', async () => {
    await using home = await temporaryRelay({ deps: { hasAttachment: async () => true } });
    await home.register('jean', 'samantha');

    await home.send('jean', { to: 'samantha', attachments: [attachment] });

    expect(await isReferredTo(home.ledger.committed, attachment)).toBe(true);
  });
});

describe('a full mailbox', () => {
  test('refuses what is for it alone', async () => {
    await using home = await temporaryRelay({ limits: { mailboxMessages: 1 } });
    await home.register('jean', 'samantha');
    await home.send('jean', { to: 'samantha' });

    const sending = home.send('jean', { to: 'samantha' });

    await expect(sending).rejects.toMatchObject({
      code: 'message.mailbox-full',
      message: 'The mailbox of "samantha" is full',
    });
  });

  test('is full by bytes as well', async () => {
    await using home = await temporaryRelay({ limits: { mailboxBytes: 9 } });
    await home.register('jean', 'samantha');
    await home.send('jean', { to: 'samantha', body: '12345' });

    const sending = home.send('jean', { to: 'samantha', body: '12345' });

    await expect(sending).rejects.toMatchObject({ code: 'message.mailbox-full' });
  });

  test('counts what the same batch has put there', async () => {
    await using home = await temporaryRelay({ limits: { mailboxMessages: 2 } });
    await home.register('jean', 'samantha');
    const message = wholeMessage({ to: 'samantha' });

    const answers = await home.relay.accept([1, 2, 3].map(() => ({ sender: 'jean', message })));

    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'refused']);
  });

  test('among several goes without, and the sender is told once', async () => {
    await using home = await temporaryRelay({ limits: { mailboxMessages: 1 } });
    await home.register('jean', 'samantha', 'jared', 'zoe');
    for (const to of ['samantha', 'zoe']) await home.send('jean', { to });

    const id = await home.send('jean', { to: '*', body: 'all' });

    expect(await home.unread('jared', 1)).toMatchObject([{ body: 'all' }]);
    expect(await home.unread('jean', 1)).toMatchObject([
      {
        kind: 'nack',
        re: id,
        body: 'Of 3 recipients these did not get your message, because their mailboxes are full: samantha, zoe.\n',
      },
    ]);
  });

  test('has room again when something was read', async () => {
    await using home = await temporaryRelay({ limits: { mailboxMessages: 1 } });
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });

    await home.relay.mailboxes.markRead('samantha', [id]);

    await expect(home.send('jean', { to: 'samantha' })).resolves.toMatch(/^[0-9a-f]{32}$/);
  });

  test('still gets what the relay itself has to tell', async () => {
    await using home = await temporaryRelay({ limits: { mailboxMessages: 1 } });
    await home.register('jean', 'samantha');
    await home.send('samantha', { to: 'jean' });

    await home.handIn('jean', 'x', { message: { to: 'nobody' } });

    await home.unread('jean', 2);
  });
});

describe('whoever sends', () => {
  test('is seen', async () => {
    const clock = new SimulatedClock();
    await using home = await temporaryRelay({ clock });
    await home.register('jean', 'samantha');

    await home.send('jean', { to: 'samantha' });

    const jean = await findAgent(home.ledger.committed, 'jean');
    expect(jean).toMatchObject({ last_seen_at: clock.now() });
  });

  test('is active again when it was inactive', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.ledger.transact((tx) => setPresence(tx, 'jean', 'inactive'));

    await home.send('jean', { to: 'samantha' });

    expect(await findAgent(home.ledger.committed, 'jean')).toMatchObject({ status: 'active' });
  });

  test('is refused once it was terminated, with the way back', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await home.ledger.transact((tx) => setPresence(tx, 'jean', 'terminated'));

    const sending = home.send('jean', { to: 'samantha' });

    await expect(sending).rejects.toMatchObject({
      code: 'message.denied',
      fix: 'aos register jean, which brings it back',
    });
    expect(await findAgent(home.ledger.committed, 'jean')).toMatchObject({ status: 'terminated' });
  });
});

test('a refused answer moves nothing on, and tells nobody', async () => {
  await using home = await temporaryRelay({ limits: { mailboxMessages: 1 } });
  await home.register('jean', 'samantha', 'jared');
  await home.send('jean', { to: 'samantha' });

  const answering = home.send('jean', { to: '*', kind: 'ack', re: 'f'.repeat(32) });

  await expect(answering).rejects.toMatchObject({ code: 'message.unknown' });
  await home.unread('jean', 0);
});

test('what breaks in the ledger is no refusal, and the whole batch is thrown back', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const broken = wholeMessage({ to: 'samantha', priority: Number.NaN });
  const good = wholeMessage({ to: 'samantha' });

  const accepting = home.relay.accept([
    { sender: 'jean', message: good },
    { sender: 'jean', message: broken },
  ]);

  await expect(accepting).rejects.toThrow();
  await home.unread('samantha', 0);
});

test('a chunk that has to wait keeps every file of its sender behind it, and nobody else', async () => {
  await using home = await temporaryRelay({ limits: { streamWindow: 1 } });
  await home.register('jean', 'jared', 'samantha');
  const file = (sender: string, stem: string, message: Draft) => {
    const path = `agents/${sender}/outbox/${stem}.msg`;
    const source = { path, stem, sizeBytes: 10, modifiedNs: '1', inode: '7' };
    return { sender, source, message: wholeMessage(message) };
  };
  const chunk = (index: number): Draft => ({
    ...{ to: 'samantha', kind: 'stream', thread: 's', chunk: { index, end: false } },
  });
  // More than one transaction takes.
  const behind = Array.from({ length: 200 }, (_, n) => file('jean', `p${n}`, { to: 'samantha' }));

  const [first, waiting, ...others] = await home.relay.accept([
    file('jean', 'c0', chunk(0)),
    file('jean', 'c1', chunk(1)),
    ...behind,
    file('jared', 'x', { to: 'samantha' }),
    { sender: 'jean', message: wholeMessage({ to: 'samantha' }) },
  ]);

  expect(first).toMatchObject({ kind: 'accepted' });
  expect(waiting).toMatchObject({ kind: 'refused', later: true });
  const held = others.slice(0, behind.length);
  expect(held.filter((one) => one.kind === 'refused' && one.later === true)).toHaveLength(200);
  expect(held.filter(({ id, archive }) => id ?? archive)).toEqual([]);
  expect(others.slice(behind.length)).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
  await home.unread('jean', 0);
});

test.each(['999999999999', '999999999999999999', '9'.repeat(40)])(
  'a name with ~%s holds no other file of its sender up',
  async (digits) => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const message = { to: 'samantha' };
    const stems = ['a', `a~${digits}`, 'a', 'a', 'a', `a~${digits}`, 'zz'];

    const answers: Acceptance[] = [];
    for (const [n, stem] of stems.entries()) {
      answers.push(await home.handIn('jean', stem, { message, modifiedNs: `${n}` }));
    }

    expect(answers.map(({ kind }) => kind)).toEqual(stems.map(() => 'accepted'));
    const places = new Set(answers.map(({ archive }) => archive?.stem));
    expect(places.size).toBe(stems.length);
    await home.unread('samantha', stems.length);
  },
);

test('a file that has to wait is not counted as refused', async () => {
  let refused = 0;
  const metrics = { ...noMetrics, refused: () => void refused++ };
  await using home = await temporaryRelay({ limits: { streamWindow: 1 }, deps: { metrics } });
  await home.register('jean', 'samantha');
  const chunk = (index: number): Draft => ({
    ...{ to: 'samantha', kind: 'stream', thread: 's', chunk: { index, end: false } },
  });
  await home.handIn('jean', 'a', { message: chunk(0) });

  const answer = await home.handIn('jean', 'b', { message: chunk(1) });

  expect(answer).toMatchObject({ kind: 'refused', later: true });
  expect(refused).toBe(0);
});

describe('who may send is decided by grants:', () => {
  test('an agent whose right was revoked is denied, and that is on record', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'sam');
    const [held] = await grantsHeldBy(home.ledger.committed, 'agent:jean');
    const id = held?.id ?? '';

    await home.grants.change((_tx, changes) => changes.revoke(id), [id]);

    await expect(home.send('jean', { to: 'sam' })).rejects.toMatchObject({
      code: 'message.denied',
      message: expect.stringContaining('lacks the capability message:sam:send'),
      fix: "aos cap grant jean 'message:sam:send'",
    });
    const [denial] = await readEvents(
      home.ledger.committed,
      { kind: 'capability.denied' },
      { limit: 10, order: 'oldest-first' },
    );
    expect(denial).toMatchObject({ actor: 'agent:jean', subject: 'message:sam:send' });
  });

  test('a message that was sent before is the same one, and costs no use', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'sam');
    const [held] = await grantsHeldBy(home.ledger.committed, 'agent:jean');
    const id = held?.id ?? '';
    await home.grants.change(
      async (_tx, changes) => {
        await changes.revoke(id);
        const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
        await changes.give({
          principal: 'agent:jean',
          capability: 'message:*:send{max:2}',
          ...facts,
        });
      },
      [id],
    );
    const send = (dedupKey: string) => home.send('jean', { to: 'sam', dedupKey });

    const sent = [await send('a'), await send('a'), await send('b')];

    expect(sent[1]).toBe(sent[0]);
    await expect(send('c')).rejects.toMatchObject({ code: 'message.denied' });
  });

  test('the event says by which grant', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'sam');
    const [held] = await grantsHeldBy(home.ledger.committed, 'agent:jean');

    await home.send('jean', { to: 'sam' });

    const [accepted] = await readEvents(
      home.ledger.committed,
      { kind: 'message.accepted' },
      { limit: 1, order: 'oldest-first' },
    );
    expect(JSON.parse(accepted?.data ?? '{}')).toMatchObject({ grants: [held?.id] });
  });
});
