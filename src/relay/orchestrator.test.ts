import { describe, expect, test } from 'vitest';
import {
  type Draft,
  type TemporaryRelay,
  temporaryRelay,
} from '../../tests/support/temporary-relay.ts';
import { findAgent } from '../ledger/agents.ts';
import { insertText } from '../ledger/memory/memories.ts';
import { openPendingOperations } from '../ledger/operations/pending-operations.ts';

function ask(home: TemporaryRelay, kind: NonNullable<Draft['kind']>, body: string, from = 'jean') {
  return home.send(from, { to: '__orchestrator__', kind, body });
}

async function answerTo(home: TemporaryRelay, id: string) {
  const [answer] = await home.unread('jean', 1);
  await home.relay.mailboxes.markRead('jean', [answer?.id ?? '']);
  expect(answer).toMatchObject({ from: '__orchestrator__', kind: 'continuity', re: id });
  return answer?.body;
}

describe('continuity', () => {
  test('saves and loads, byte for byte, the newest version', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const save = (text: string) => ask(home, 'continuity', `ACTION: save\nKEY: plan\n\n${text}`);

    const saved = [
      await answerTo(home, await save('one\n\n  two ')),
      await answerTo(home, await save('three')),
    ];
    const id = await ask(home, 'continuity', 'ACTION: load\nKEY: plan\n');

    expect(saved).toEqual([
      'ACTION: saved\nKEY: plan\nVERSION: 1\n',
      'ACTION: saved\nKEY: plan\nVERSION: 2\n',
    ]);
    expect(await answerTo(home, id)).toBe('ACTION: loaded\nKEY: plan\nVERSION: 2\n\nthree');
  });

  test('says when there is nothing', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');

    const id = await ask(home, 'continuity', 'ACTION: load\nKEY: plan\n');

    expect(await answerTo(home, id)).toBe('ACTION: missing\nKEY: plan\n');
  });

  test('loads nothing that was stored otherwise', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    const place = { owner: 'agent:jean', scope: 'working', key: 'plan' } as const;
    await home.ledger.transact((tx) =>
      insertText(tx, place, { value: 'mine', source: 'tool-call:1', at: 1 }),
    );

    const id = await ask(home, 'continuity', 'ACTION: load\nKEY: plan\n');

    expect(await answerTo(home, id)).toBe('ACTION: missing\nKEY: plan\n');
  });

  test("is each agent's own", async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await ask(home, 'continuity', 'ACTION: save\nKEY: plan\n\nmine', 'samantha');

    const id = await ask(home, 'continuity', 'ACTION: load\nKEY: plan\n');

    expect(await answerTo(home, id)).toBe('ACTION: missing\nKEY: plan\n');
  });
});

describe.each(['spawn', 'release'] as const)('%s', (kind) => {
  const body = kind === 'spawn' ? 'NAME: worker\nCLI: claude\n' : 'NAME: worker\n';

  test('by an agent is denied, and a file of it is answered with a nack', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await expect(ask(home, kind, body)).rejects.toMatchObject({
      code: 'message.denied',
      message: `Agent "jean" lacks the capability agent:worker:${kind}`,
    });

    await home.handIn('jean', 'x', { message: { to: '__orchestrator__', kind, body } });

    expect(await home.unread('jean', 1)).toMatchObject([{ kind: 'nack' }]);
    expect(await openPendingOperations(home.ledger.committed, 10)).toEqual([]);
  });

  test('by the owner becomes a pending operation, once', async () => {
    await using home = await temporaryRelay();

    const id = await ask(home, kind, body, 'owner');

    const [operation, ...others] = await openPendingOperations(home.ledger.committed, 10);
    expect(others).toEqual([]);
    expect(operation).toMatchObject({ operation_type: kind, completed_at: null });
    expect(JSON.parse(operation?.payload ?? '')).toMatchObject({
      name: 'worker',
      by: 'owner',
      message_id: id,
    });
  });
});

describe('spawn by an agent', () => {
  const give = (home: TemporaryRelay, ...capabilities: readonly string[]) =>
    home.grants.change(async (_tx, changes) => {
      for (const capability of capabilities) {
        const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
        await changes.give({ principal: 'agent:jean', capability, ...facts });
      }
    });
  const spawn = (home: TemporaryRelay, more = '') =>
    ask(home, 'spawn', `NAME: worker\nCLI: claude\n${more}`);

  test('with max:3, ten at once, is done three times', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await give(home, 'agent:spawn{max:3}');

    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => spawn(home)));

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await openPendingOperations(home.ledger.committed, 100)).toHaveLength(3);
  });

  test.each([
    ['without a grant for the folder', [], '/work/site', 'file:/work/site/**:read'],
    [
      'with one for the folder alone',
      ['file:/work/*:read,write'],
      '/work/site',
      'file:/work/site/**:read',
    ],
    ['with one to read only', ['file:/work/**:read'], '/work/site', 'file:/work/site/**:write'],
    [
      'in a folder with secrets',
      ['file:/work/**:read,write'],
      '/work/.ssh',
      'file:/work/.ssh/**:read',
    ],
  ])('%s is denied', async (_which, capabilities, folder, missing) => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await give(home, 'agent:spawn', ...capabilities);

    const denied = spawn(home, `WORKING_DIR: ${folder}\n`);

    await expect(denied).rejects.toMatchObject({
      code: 'message.denied',
      message: expect.stringContaining(missing),
    });
    expect(await openPendingOperations(home.ledger.committed, 10)).toEqual([]);
  });

  test('in a folder that it may read and write is done', async () => {
    await using home = await temporaryRelay();
    await home.register('jean');
    await give(home, 'agent:spawn', 'file:/work/**:read,write');

    await spawn(home, 'WORKING_DIR: /work/site\n');

    expect(await openPendingOperations(home.ledger.committed, 10)).toHaveLength(1);
  });
});

describe('status', () => {
  test.each(['inactive', 'terminated', 'active'] as const)('%s is kept', async (status) => {
    await using home = await temporaryRelay();
    await home.register('jean');

    await ask(home, 'status', `STATUS: ${status}\n`);

    expect(await findAgent(home.ledger.committed, 'jean')).toMatchObject({ status });
  });

  test('inactive lasts until the next sign of life', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    await ask(home, 'status', 'STATUS: inactive\n');

    await home.send('jean', { to: 'samantha' });

    expect(await findAgent(home.ledger.committed, 'jean')).toMatchObject({ status: 'active' });
  });
});

test.each(['message', 'request', 'response', 'event', 'stream'] as const)(
  'a message of the kind %s is refused',
  async (kind) => {
    await using home = await temporaryRelay();
    await home.register('jean');

    await expect(ask(home, kind, '')).rejects.toMatchObject({
      code: 'message.malformed',
      message: `__orchestrator__ takes no message of the kind ${kind}`,
    });
  },
);

test('an ack of what the relay has told is taken', async () => {
  await using home = await temporaryRelay();
  await home.register('jean');
  await home.handIn('jean', 'x', { message: { to: 'nobody' } });
  const [nack] = await home.unread('jean', 1);

  const settled = await home.relay.mailboxes.settle('jean', nack?.id ?? '', {
    kind: 'ack',
    body: '',
  });

  expect(settled.state).toBe('acked');
});
