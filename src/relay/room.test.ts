import { describe, expect, test } from 'vitest';
import { type TemporaryRelay, temporaryRelay } from '../../tests/support/temporary-relay.ts';

async function world(streamWindow = 64) {
  const home = await temporaryRelay({ limits: { streamWindow } });
  await home.register('jean', 'samantha');
  return home;
}

function chunk(home: TemporaryRelay, index: number, { end = false, thread = 's' } = {}) {
  return home.send('jean', {
    to: 'samantha',
    kind: 'stream',
    thread,
    chunk: { index, end },
    body: `${index}`,
  });
}

describe('a stream', () => {
  test('comes in its order, up to its end', async () => {
    await using home = await world();

    for (const index of [0, 1, 2]) await chunk(home, index, { end: index === 2 });

    expect(await home.unread('samantha', 3)).toMatchObject([
      { chunk: { index: 0, end: false } },
      { chunk: { index: 1, end: false } },
      { chunk: { index: 2, end: true } },
    ]);
  });

  test('with a gap is refused, and told which chunk comes next', async () => {
    await using home = await world();
    await chunk(home, 0);

    await expect(chunk(home, 2)).rejects.toMatchObject({
      code: 'message.stream-gap',
      message: 'Chunk 2 of the stream "s" cannot be taken: chunk 1 comes next',
      details: { next_chunk: 1 },
    });
  });

  test('that begins in the middle is refused', async () => {
    await using home = await world();

    await expect(chunk(home, 3)).rejects.toMatchObject({
      code: 'message.stream-gap',
      details: { next_chunk: 0 },
    });
  });

  test.each([0, 1])('takes chunk %i only once', async (index) => {
    await using home = await world();
    await chunk(home, 0);
    await chunk(home, 1);

    await expect(chunk(home, index)).rejects.toMatchObject({ code: 'message.stream-gap' });

    await home.unread('samantha', 2);
  });

  test('that has ended takes no more', async () => {
    await using home = await world();
    await chunk(home, 0, { end: true });

    await expect(chunk(home, 1)).rejects.toMatchObject({
      code: 'message.stream-gap',
      message: 'Chunk 1 of the stream "s" cannot be taken: the stream has ended',
      fix: 'Begin another stream, with another THREAD',
      details: { next_chunk: null },
    });
  });

  test('waits for its reader when the window is full', async () => {
    await using home = await world(2);
    const first = await chunk(home, 0);
    await chunk(home, 1);
    await expect(chunk(home, 2)).rejects.toMatchObject({
      code: 'message.stream-full',
      message: '2 chunks of the stream "s" are not read yet',
    });

    await home.relay.mailboxes.markRead('samantha', [first]);

    await expect(chunk(home, 2)).resolves.toMatch(/^[0-9a-f]{32}$/);
  });

  test('comes in order, 64 unread at most: the next waits, and none is passed over', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const indexes = Array.from({ length: 64 }, (_, index) => index);
    const [first = ''] = await Array.fromAsync(indexes, (index) => chunk(home, index));
    const tooMany = chunk(home, 64);
    await expect(tooMany).rejects.toMatchObject({ code: 'message.stream-full' });

    await home.relay.mailboxes.markRead('samantha', [first]);
    const passing = chunk(home, 65);
    await expect(passing).rejects.toMatchObject({ code: 'message.stream-gap' });
    await chunk(home, 64);

    const unread = await home.unread('samantha', 64);
    expect(unread.map(({ body }) => body)).toEqual([...indexes.slice(1), 64].map(String));
  });

  test('as files only waits: the file that finds it full stays, and nobody is told', async () => {
    await using home = await world(1);
    const message = (index: number) =>
      ({ to: 'samantha', kind: 'stream', thread: 's', chunk: { index, end: false } }) as const;
    await home.handIn('jean', 'a', { message: message(0) });

    const answer = await home.handIn('jean', 'b', { message: message(1) });

    expect(answer).toMatchObject({ kind: 'refused', later: true });
    expect(answer.archive).toBeUndefined();
    await home.unread('jean', 0);
  });

  test('to a Lead who is not there is refused', async () => {
    await using home = await world(1);

    const sending = home.send('jean', {
      to: 'Lead',
      kind: 'stream',
      thread: 's',
      chunk: { index: 0, end: false },
    });

    await expect(sending).rejects.toMatchObject({ code: 'lead.none', fix: 'aos lead set NAME' });
  });

  test('has its place beside another one', async () => {
    await using home = await world(1);

    await chunk(home, 0, { thread: 'a' });
    await chunk(home, 0, { thread: 'b' });

    await home.unread('samantha', 2);
  });

  test.each([
    ['without a thread', { to: 'samantha', chunk: { index: 0, end: false } }],
    ['without a chunk', { to: 'samantha', thread: 's' }],
  ])('%s is refused', async (_what, draft) => {
    await using home = await world();

    const sending = home.send('jean', { kind: 'stream', ...draft });

    await expect(sending).rejects.toMatchObject({
      code: 'message.malformed',
      message: 'A stream goes to one recipient, with THREAD and CHUNK in each message',
    });
  });

  test('to several is refused', async () => {
    await using home = await world();
    await home.register('jared');

    const draft = { to: '*', thread: 's', chunk: { index: 0, end: false } };

    await expect(home.send('jean', { kind: 'stream', ...draft })).rejects.toMatchObject({
      code: 'message.malformed',
    });
  });

  test('whose mailbox is full is refused, and goes on with the same chunk', async () => {
    await using home = await temporaryRelay({ limits: { mailboxMessages: 1 } });
    await home.register('jean', 'samantha');
    const first = await chunk(home, 0);
    await expect(chunk(home, 1)).rejects.toMatchObject({ code: 'message.mailbox-full' });

    await home.relay.mailboxes.markRead('samantha', [first]);

    await expect(chunk(home, 1)).resolves.toMatch(/^[0-9a-f]{32}$/);
  });
});
