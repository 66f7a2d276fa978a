import { describe, expect, test, vi } from 'vitest';
import { type TemporaryRelay, temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';

interface Row {
  readonly state: string;
  readonly owner: string | null;
  readonly stamp_ns: string;
}

async function rowOf(home: TemporaryRelay, id: string): Promise<Row | undefined> {
  return home.ledger.committed.get<Row>(
    `select state, owner, stamp_ns from deliveries d join messages m on m.id = d.message
     where message_id = $1`,
    [id],
  );
}

/** As a process leaves a row that was killed while it delivered. */
async function holdAs(home: TemporaryRelay, id: string, owner: string): Promise<void> {
  await home.ledger.transact((tx) =>
    tx.run(
      `update deliveries set owner = $2, state = 'accepted', via = null, delivered_at = null
       where message = (select id from messages where message_id = $1)`,
      [id, owner],
    ),
  );
}

/** A message that was in a daemon's hands when it was killed. */
async function interrupted() {
  const home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha', body: 'hello' });
  await home.until(id, 'delivered');
  const [name = ''] = home.inboxes.names('samantha');
  await holdAs(home, id, 'daemon 1');
  return { home, id, name, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

describe('what a dead process held', () => {
  test('and never got to the inbox is delivered', async () => {
    await using here = await interrupted();
    const { home, id, name } = here;
    home.inboxes.takeAway('samantha', name);

    await home.restart({ holder: 'daemon 2' });

    await home.until(id, 'delivered');
    expect(home.inboxes.names('samantha')).toEqual([name]);
  });

  test('and reached the inbox is noted, and not delivered again although it was read', async () => {
    await using here = await interrupted();
    const { home, id, name } = here;
    home.inboxes.takeAway('samantha', name);
    const noted = vi.fn(async () => {});
    home.inboxes.left = [{ recipient: 'samantha', reached: [name], noted }];

    await home.restart({ holder: 'daemon 2' });

    expect(await rowOf(home, id)).toMatchObject({ state: 'read', owner: null });
    expect(home.inboxes.names('samantha')).toEqual([]);
    expect(noted).toHaveBeenCalledOnce();
  });

  test('and did not reach it, as the note beside says, is delivered', async () => {
    await using here = await interrupted();
    const { home, id, name } = here;
    home.inboxes.takeAway('samantha', name);
    home.inboxes.left = [{ recipient: 'samantha', reached: [], noted: async () => {} }];

    await home.restart({ holder: 'daemon 2' });

    await home.until(id, 'delivered');
    expect(home.inboxes.names('samantha')).toEqual([name]);
  });

  test('is not believed to have reached the inbox after a power cut', async () => {
    await using here = await interrupted();
    const { home, id, name } = here;
    home.inboxes.takeAway('samantha', name);
    home.inboxes.left = [{ recipient: 'samantha', reached: [name], noted: async () => {} }];

    await home.restart({ holder: 'daemon 2', sameBoot: false });

    await home.until(id, 'delivered');
    expect(home.inboxes.names('samantha')).toEqual([name]);
  });

  test('keeps to names that are messages of ours', async () => {
    await using here = await interrupted();
    const { home, id } = here;
    const reached = ['../x', 'note.txt', `${'9'.repeat(19)}-00000000.msg`];
    home.inboxes.left = [{ recipient: 'samantha', reached, noted: async () => {} }];

    await home.restart({ holder: 'daemon 2' });

    await home.until(id, 'delivered');
  });
});

describe('an unread file that is missing', () => {
  async function missing() {
    const home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha', body: 'hello' });
    await home.until(id, 'delivered');
    const [name = ''] = home.inboxes.names('samantha');
    home.inboxes.takeAway('samantha', name);
    return { home, id, name, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
  }

  test('was read, on the same boot', async () => {
    await using here = await missing();

    await here.home.restart({ holder: '2', sameBoot: true });

    expect(await rowOf(here.home, here.id)).toMatchObject({ state: 'read' });
    expect(here.home.inboxes.names('samantha')).toEqual([]);
  });

  test('is written again after a power cut, under its name', async () => {
    await using here = await missing();

    await here.home.restart({ holder: '2', sameBoot: false });

    await here.home.until(here.id, 'delivered');
    expect(here.home.inboxes.names('samantha')).toEqual([here.name]);
  });
});

test('what lies unread in an inbox after a power cut is replaced, for it may be cut short', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha', body: 'whole' });
  await home.until(id, 'delivered');
  const [name = ''] = home.inboxes.names('samantha');
  await home.inboxes.write('samantha', [{ name, text: 'FROM: je' }]);

  await home.restart({ holder: '2', sameBoot: false });

  await home.until(id, 'delivered');
  expect(home.inboxes.texts('samantha')).toEqual([expect.stringMatching(/whole$/)]);
});

test('what was read before a power cut stays read', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha' });
  await home.until(id, 'delivered');
  await home.relay.mailboxes.take('samantha', { limit: 1 });

  await home.restart({ holder: '2', sameBoot: false });

  expect(await rowOf(home, id)).toMatchObject({ state: 'read' });
  expect(home.inboxes.names('samantha')).toEqual([]);
});

test.each([true, false])(
  'an inbox that cannot be looked into does not keep the relay from starting (same boot: %s)',
  async (sameBoot) => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const id = await home.send('jean', { to: 'samantha' });
    await home.until(id, 'delivered');
    home.inboxes.lookFailure = new AosError('disk.not-a-folder', { message: 'It is a file' });

    await home.restart({ holder: '2', sameBoot });

    home.inboxes.lookFailure = undefined;
    await home.until(id, 'delivered');
  },
);

test('what was pushed to a connection that is gone waits again', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const id = await home.send('jean', { to: 'samantha' });
  await home.until(id, 'delivered');
  await home.ledger.transact((tx) => tx.run(`update deliveries set via = 'push'`));
  for (const name of home.inboxes.names('samantha')) home.inboxes.takeAway('samantha', name);

  await home.restart({ holder: '2' });

  await home.until(id, 'delivered');
  expect(home.inboxes.texts('samantha')).toHaveLength(1);
});

describe('a file whose way to the archive was interrupted', () => {
  async function begun() {
    const home = await temporaryRelay();
    await home.register('jean', 'samantha');
    const { id = '' } = await home.handIn('jean', 'x', { message: { to: 'samantha' } });
    await home.until(id, 'delivered');
    return { home, id, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
  }

  test('and lies there is archived', async () => {
    await using here = await begun();

    await here.home.restart({ holder: '2', locate: async () => 'archive' });

    expect(await here.home.relay.history(here.id)).toMatchObject({ status: 'archived' });
  });

  test('and lies in the outbox stays as it is', async () => {
    await using here = await begun();

    await here.home.restart({ holder: '2', locate: async () => 'outbox' });

    expect(await here.home.relay.history(here.id)).toMatchObject({ status: 'processing' });
  });

  test('and cannot be looked for stays as it is, and keeps nobody from starting', async () => {
    await using here = await begun();

    await here.home.restart({
      holder: '2',
      locate: async () => Promise.reject(diskError('EIO', '/archive')),
    });

    expect(await here.home.relay.history(here.id)).toMatchObject({ status: 'processing' });
  });

  test('and is nowhere has disappeared, and the message goes on', async () => {
    await using here = await begun();

    await here.home.restart({ holder: '2', locate: async () => 'gone' });

    expect(await here.home.relay.history(here.id)).toMatchObject({
      status: 'failed',
      // The message was not refused.
      error: undefined,
      deliveries: [{ state: 'delivered' }],
    });
    const [first, ...others] = await here.home.steps(here.id);
    expect(first).toBe('accepted from jean as the file x.msg');
    // The file is looked for while the message goes its way.
    expect(others.toSorted()).toEqual([
      'delivered to samantha as a file in its inbox',
      'its file had disappeared from the outbox',
    ]);
  });
});
