import { describe, expect, test } from 'vitest';
import { temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { runTool, type TestCallOptions } from '../../../tests/support/tool-call.ts';
import { realClock } from '../../engines/clock.ts';
import { AosError } from '../../kernel/errors.ts';
import { messageInbox, messageRequest, messageSend } from './tools.ts';

const mayWrite: TestCallOptions = { capabilities: ['message:*:send'] };

async function temporaryTools() {
  const home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const deps = { relay: home.relay, clock: realClock };
  return {
    ...{ home, relay: home.relay },
    send: messageSend(deps),
    inbox: messageInbox(deps),
    request: messageRequest(deps),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

describe('message.send', () => {
  test('sends as the agent that calls, with all that it was given', async () => {
    await using tools = await temporaryTools();
    const args = { to: 'samantha', body: 'hello', thread: 'a thread', priority: 2, ttl_ms: 60_000 };

    const answer = await runTool(tools.send, args, mayWrite);

    const [mail] = await tools.home.unread('samantha', 1);
    expect(answer).toEqual({ id: mail?.id, state: 'accepted', recipients: 1 });
    expect(mail).toMatchObject({
      ...{ from: 'jean', to: 'samantha', body: 'hello', kind: 'message' },
      ...{ thread: 'a thread', priority: 2 },
    });
  });

  test('that is run a second time sends nothing more', async () => {
    await using tools = await temporaryTools();
    const args = { to: 'samantha', body: 'hello' };
    const first = await runTool(tools.send, args, mayWrite);

    const second = await runTool(tools.send, args, mayWrite);

    expect(second).toEqual({ ...(first as object), state: 'duplicate', recipients: null });
    await tools.home.unread('samantha', 1);
  });

  test('is not mixed up with a message that has the same key', async () => {
    await using tools = await temporaryTools();
    await tools.home.send('jean', { to: 'samantha', body: 'other', dedupKey: 'key-1' });

    await runTool(tools.send, { to: 'samantha', body: 'hello' }, mayWrite);

    await tools.home.unread('samantha', 2);
  });

  test('by the owner is from the owner', async () => {
    await using tools = await temporaryTools();

    await runTool(tools.send, { to: 'jean', body: 'hello' }, { ...mayWrite, principal: 'owner' });

    expect(await tools.home.unread('jean', 1)).toMatchObject([{ from: 'owner' }]);
  });

  test.each(['samantha', '#news', '*', 'Lead'])('to %s needs the capability for it', async (to) => {
    await using tools = await temporaryTools();

    const attempt = runTool(
      tools.send,
      { to, body: 'x' },
      { capabilities: ['message:other:send'] },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'capability.denied',
      message: `It may not: message:${to}:send`,
    });
    await tools.home.unread('samantha', 0);
  });

  test.each([
    ['to nobody', { to: '', body: 'x' }],
    ['to what is no name', { to: '../x', body: 'x' }],
    ['without a body', { to: 'samantha' }],
    ['as somebody else', { to: 'samantha', body: 'x', from: 'owner' }],
    ['of a kind that is a stream', { to: 'samantha', body: 'x', kind: 'stream' }],
    ['of a priority that there is not', { to: 'samantha', body: 'x', priority: 10 }],
  ])('%s is refused', async (_how, args) => {
    await using tools = await temporaryTools();

    const attempt = runTool(tools.send, args, mayWrite);

    await expect(attempt).rejects.toMatchObject({ code: 'tool.bad-arguments' });
  });

  test.each([
    ['an answer to nothing', { kind: 'ack' }, 'message.malformed'],
    ['a body that is no text', { body: 'a\0b' }, 'message.malformed'],
    ['an unknown recipient', { to: 'nobody' }, 'message.no-recipient'],
  ])('says what is wrong with %s', async (_what, change, code) => {
    await using tools = await temporaryTools();

    const attempt = runTool(tools.send, { to: 'samantha', body: 'x', ...change }, mayWrite);

    await expect(attempt).rejects.toMatchObject({ code });
  });

  test('keeps to the size that the grant allows', async () => {
    await using tools = await temporaryTools();
    const few: TestCallOptions = { capabilities: ['message:*:send{size:10B}'] };

    const attempt = runTool(tools.send, { to: 'samantha', body: 'eleven char' }, few);

    await expect(attempt).rejects.toMatchObject({ code: 'tool.too-large' });
    await tools.home.unread('samantha', 0);
  });

  test('of somebody without a mailbox is refused', async () => {
    await using tools = await temporaryTools();
    const options = { ...mayWrite, principal: '0x0123456789abcdef' };

    const attempt = runTool(tools.send, { to: 'samantha', body: 'x' }, options);

    await expect(attempt).rejects.toMatchObject({ code: 'message.denied' });
  });
});

describe('message.inbox', () => {
  const none: TestCallOptions = { capabilities: [] };
  const withRoom = (outputBytes: number): TestCallOptions => ({ ...none, outputBytes });

  test('hands out what came, once, in its order', async () => {
    await using tools = await temporaryTools();
    const ids = [
      await tools.home.send('samantha', { to: 'jean', body: 'one' }),
      await tools.home.send('owner', { to: 'jean', body: 'two' }),
    ];
    await tools.home.send('jean', { to: 'samantha', body: 'not for jean' });

    const first = await runTool(tools.inbox, {}, none);
    const second = await runTool(tools.inbox, {}, none);

    expect(first).toMatchObject({
      items: [
        { id: ids[0], from: 'samantha', body: 'one', body_cut: false },
        { id: ids[1], from: 'owner', body: 'two' },
      ],
    });
    expect(second).toEqual({ items: [] });
  });

  test('that does not take leaves all as it was, and only reads', async () => {
    await using tools = await temporaryTools();
    await tools.home.send('samantha', { to: 'jean', body: 'one' });
    await tools.home.unread('jean', 1);

    const seen = await runTool(tools.inbox, { take: false }, none);

    expect(seen).toMatchObject({ items: [{ body: 'one' }] });
    await tools.home.unread('jean', 1);
    expect(tools.inbox.prepare({ take: false }).effect).toBe('read');
    expect(tools.inbox.prepare({}).effect).toBe('write');
  });

  test('hands out no more than it was asked for', async () => {
    await using tools = await temporaryTools();
    for (const body of ['one', 'two', 'three'])
      await tools.home.send('samantha', { to: 'jean', body });

    const answer = await runTool(tools.inbox, { limit: 2 }, none);

    expect(answer).toMatchObject({ items: [{ body: 'one' }, { body: 'two' }] });
    expect(await tools.home.unread('jean', 1)).toMatchObject([{ body: 'three' }]);
  });

  test('leaves unread what has no room in the result', async () => {
    await using tools = await temporaryTools();
    for (const letter of 'abc') {
      await tools.home.send('samantha', { to: 'jean', body: letter.repeat(2000) });
    }

    const answer = await runTool(tools.inbox, {}, withRoom(6000));

    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(6000);
    expect(answer).toMatchObject({
      items: [{ body: 'a'.repeat(2000) }, { body: 'b'.repeat(2000) }],
    });
    expect(await tools.home.unread('jean', 1)).toMatchObject([{ body: 'c'.repeat(2000) }]);
  });

  test('cuts a message that would fit nowhere, and says so', async () => {
    await using tools = await temporaryTools();
    await tools.home.send('samantha', { to: 'jean', body: '\u0001😀'.repeat(10_000) });

    const answer = await runTool(tools.inbox, {}, withRoom(5000));

    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(5000);
    expect(answer).toMatchObject({
      items: [{ body_cut: true, body: expect.stringMatching(/^\u0001😀/) }],
    });
    await tools.home.unread('jean', 0);
  });

  test.each([{ limit: 0 }, { limit: 101 }, { agent: 'samantha' }])(
    'with %j is refused',
    async (args) => {
      await using tools = await temporaryTools();

      await expect(runTool(tools.inbox, args, none)).rejects.toMatchObject({
        code: 'tool.bad-arguments',
      });
    },
  );
});

describe('message.request', () => {
  test('resolves to the answer, which is read with that', async () => {
    await using tools = await temporaryTools();

    const asking = runTool(tools.request, { to: 'samantha', body: 'how much?' }, mayWrite);
    const [question] = await tools.home.unread('samantha', 1);
    expect(question).toMatchObject({ kind: 'request', from: 'jean', body: 'how much?' });
    await tools.home.send('samantha', {
      to: 'jean',
      kind: 'response',
      re: question?.id,
      body: '42',
    });

    expect(await asking).toMatchObject({
      id: question?.id,
      response: { from: 'samantha', body: '42', re: question?.id },
    });
    await tools.home.unread('jean', 0);
  });

  test('that is refused says by whom and why', async () => {
    await using tools = await temporaryTools();

    const asking = runTool(tools.request, { to: 'samantha', body: 'how much?' }, mayWrite);
    const [question] = await tools.home.unread('samantha', 1);
    await tools.home.send('samantha', { to: 'jean', kind: 'nack', re: question?.id, body: 'no' });

    await expect(asking).rejects.toMatchObject({
      code: 'message.refused',
      message: '"samantha" refuses the request: no',
    });
  });

  test('that nobody answers ends at its time', async () => {
    await using tools = await temporaryTools();

    const asking = runTool(tools.request, { to: 'samantha', body: 'x', timeout_ms: 20 }, mayWrite);

    await expect(asking).rejects.toMatchObject({ code: 'message.no-answer' });
  });

  test('ends with the call', async () => {
    await using tools = await temporaryTools();
    const call = new AbortController();
    const reason = new AosError('tool.timeout', { message: 'too late' });

    const asking = runTool(
      tools.request,
      { to: 'samantha', body: 'x' },
      { ...mayWrite, signal: call.signal },
    );
    await tools.home.unread('samantha', 1);
    call.abort(reason);

    await expect(asking).rejects.toBe(reason);
  });

  test('needs the capability, and is not run twice by itself', async () => {
    await using tools = await temporaryTools();

    const attempt = runTool(tools.request, { to: 'samantha', body: 'x' }, { capabilities: [] });

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
    expect(tools.request).toMatchObject({ repeatable: false });
    expect(tools.request.prepare({ to: 'samantha', body: 'x' }).effect).toBe('external');
  });
});
