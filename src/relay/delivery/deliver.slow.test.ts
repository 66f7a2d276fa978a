import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { borrowed } from '../../../tests/sim/stale-looks.ts';
import {
  type TemporaryRelay,
  temporaryRelay,
  wholeMessage,
} from '../../../tests/support/temporary-relay.ts';
import { until } from '../../../tests/support/until.ts';
import { realRandom } from '../../engines/clock.ts';
import { AosError } from '../../kernel/errors.ts';
import { batchRows } from '../../ledger/ledger.ts';

describe('a message to an agent', () => {
  test('arrives in its inbox with the name of its sender', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');

    const id = await home.send('jean', { to: 'samantha', body: 'hello\n' });

    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(1));
    expect(home.inboxes.texts('samantha')[0]).toMatch(
      new RegExp(`^FROM: jean\nID: ${id}\nSENT: .*Z\nTO: samantha\nKIND: message\n\nhello\n$`),
    );
  });

  test('keeps its order among a thousand', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');

    await Promise.all(
      Array.from({ length: 1000 }, (_, n) => home.send('jean', { to: 'samantha', body: `${n}` })),
    );

    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(1000));
    const bodies = home.inboxes.texts('samantha').map((text) => text.split('\n\n')[1]);
    expect(bodies).toEqual(Array.from({ length: 1000 }, (_, n) => `${n}`));
  });

  test('is tried again when the inbox cannot be written to', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    home.inboxes.failure = new AosError('disk.full', { message: 'The disk is full' });
    const id = await home.send('jean', { to: 'samantha', body: 'hello' });
    await until(async () => {
      expect((await home.relay.history(id))?.deliveries[0]?.attempts).toBe(1);
    });

    home.inboxes.failure = undefined;

    await until(async () => {
      expect((await home.relay.history(id))?.deliveries[0]?.state).toBe('delivered');
    });
    const history = await home.relay.history(id);
    expect(history?.steps.map(({ what }) => what)).toEqual([
      'accepted from jean',
      expect.stringMatching(/^try 1 for samantha failed: The disk is full; next try /),
      'delivered to samantha as a file in its inbox',
    ]);
  });
});

const full = new AosError('disk.full', { message: 'The disk is full' });

/** Waits until that many tries for it have failed. */
async function untilTried(home: TemporaryRelay, id: string, tries: number): Promise<void> {
  await until(async () => {
    expect((await home.relay.history(id))?.deliveries[0]?.attempts).toBe(tries);
  });
}

/** Lets the next try begin, and tells how long it was waited for. */
async function nextTry(home: TemporaryRelay, clock: SimulatedClock): Promise<number> {
  const row = await home.ledger.committed.get<{ due_at: number }>(
    `select due_at from deliveries where recipient = 'samantha'`,
  );
  const waitMs = (row?.due_at ?? 0) - clock.now();
  // The expiry, the sweep of inboxes, and the queue.
  await until(() => expect(clock.sleeping).toBe(3));
  await clock.advance(waitMs);
  return waitMs;
}

/** A relay that cannot write to inboxes, and its clock. */
async function brokenWorld() {
  const clock = new SimulatedClock();
  const home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  home.inboxes.failure = full;
  return { clock, home, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

describe('a delivery that fails', () => {
  test('eight times is dead, and its sender is told once', async () => {
    await using here = await brokenWorld();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha' });

    for (let tries = 1; tries < 8; tries++) {
      await untilTried(home, id, tries);
      await nextTry(home, clock);
    }

    await home.until(id, 'dead');
    expect(await home.unread('jean', 1)).toMatchObject([
      {
        kind: 'nack',
        re: id,
        body: 'Your message to samantha could not be delivered: 8 tries failed. The disk is full.\n',
      },
    ]);
  });

  test('is tried again later each time', async () => {
    await using here = await brokenWorld();
    const { home, clock } = here;
    const id = await home.send('jean', { to: 'samantha' });
    const waits: number[] = [];

    for (let tries = 1; tries < 8; tries++) {
      await untilTried(home, id, tries);
      waits.push(await nextTry(home, clock));
    }

    for (const [tries, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(250 * 2 ** tries);
      expect(wait).toBeLessThanOrEqual(500 * 2 ** tries);
    }
  });

  test('is tried again in time also when the clock is put back while that is noted', async () => {
    await using here = await brokenWorld();
    const { home, clock } = here;
    using _jump = home.ledger.onEvents(() => {
      if (home.inboxes.writes === 1) clock.jump(-3_600_000);
    });
    const id = await home.send('jean', { to: 'samantha' });
    await untilTried(home, id, 1);
    home.inboxes.failure = undefined;

    await until(() => expect(clock.sleeping).toBe(3));
    await clock.advance(300_000);

    await home.until(id, 'delivered');
  });

  test('holds up everything behind it, and order is kept when it goes', async () => {
    await using here = await brokenWorld();
    const { home, clock } = here;
    const first = await home.send('jean', { to: 'samantha', body: '1' });
    await untilTried(home, first, 1);
    home.inboxes.failure = undefined;

    await home.send('jean', { to: 'samantha', body: '2' });
    await home.send('jean', { to: 'samantha', body: '3', priority: 9 });

    expect(home.inboxes.names('samantha')).toEqual([]);
    await clock.advance(1000);
    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(3));
    const texts = home.inboxes.texts('samantha').map((text) => text.split('\n\n')[1]);
    expect(texts).toEqual(['1', '2', '3']);
  });

  test('is overtaken by a lower number', async () => {
    await using here = await brokenWorld();
    const { home } = here;
    const first = await home.send('jean', { to: 'samantha', body: 'slow' });
    await untilTried(home, first, 1);
    home.inboxes.failure = undefined;

    const urgent = await home.send('jean', { to: 'samantha', body: 'urgent', priority: 0 });

    await home.until(urgent, 'delivered');
    expect(await home.relay.history(first)).toMatchObject({ deliveries: [{ state: 'accepted' }] });
  });

  test('is not overtaken by many that were on their way when it failed', async () => {
    const clock = new SimulatedClock();
    const gate = Promise.withResolvers<void>();
    const others = 4 * batchRows;
    let ids = 0;
    const bytes = (size: number) => {
      // While the ledger is at it, and has not answered anybody.
      if (size > 1 && ++ids === 3 * batchRows) gate.resolve();
      return realRandom.bytes(size);
    };
    await using home = await temporaryRelay({ clock, deps: { random: { bytes } } });
    await home.register('jean', 'samantha');
    home.inboxes.failure = full;
    home.inboxes.gate = gate.promise.then(() => {
      // Only the first try fails.
      setImmediate(() => {
        home.inboxes.failure = undefined;
      });
    });
    const first = await home.send('jean', { to: 'samantha', body: 'first' });
    await until(() => expect(home.inboxes.writes).toBe(1));

    const message = wholeMessage({ to: 'samantha' });
    await home.relay.accept(Array.from({ length: others }, () => ({ sender: 'jean', message })));
    await untilTried(home, first, 1);
    await nextTry(home, clock);

    await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(others + 1));
    const order = await home.ledger.committed.all<{ seq: number; message: number }>(
      `select e.seq, d.message from events e join messages m on e.subject = 'message:' || m.message_id
       join deliveries d on d.message = m.id where e.kind = 'message.delivered' order by e.seq`,
    );
    const messages = order.map(({ message }) => message);
    expect(messages).toEqual([...messages].sort((one, other) => one - other));
  });
});

describe('an inbox that was moved away', () => {
  test('is made again, and what lay in it comes before what is new', async () => {
    const clock = new SimulatedClock();
    await using home = await temporaryRelay({ clock });
    await home.register('jean', 'samantha');
    for (const body of ['one', 'two']) {
      await home.until(await home.send('jean', { to: 'samantha', body }), 'delivered');
    }
    home.inboxes.moveInboxAway('samantha');

    const third = await home.send('jean', { to: 'samantha', body: 'three' });
    await untilTried(home, third, 1);
    await clock.advance(1000);

    await home.until(third, 'delivered');
    const bodies = home.inboxes.texts('samantha').map((text) => text.split('\n\n')[1]);
    expect(bodies).toEqual(['one', 'two', 'three']);
  });

  test('and was empty is made again at once', async () => {
    await using home = await temporaryRelay();
    await home.register('jean', 'samantha');
    home.inboxes.moveInboxAway('samantha');

    await home.until(await home.send('jean', { to: 'samantha', body: 'one' }), 'delivered');

    expect(home.inboxes.texts('samantha')).toHaveLength(1);
  });
});

describe('a sink', () => {
  test('that breaks in any way is a try that failed, and nothing is lost', async () => {
    const clock = new SimulatedClock();
    await using home = await temporaryRelay({ clock });
    await home.register('jean', 'samantha');
    const pushed: string[] = [];
    let isBroken = true;
    await using _attached = home.relay.mailboxes.attach('samantha', {
      push: async (items) => {
        if (isBroken) throw new TypeError('a bug in a connection');
        pushed.push(...items.map(({ body }) => body));
      },
      wants: () => true,
    });
    const id = await home.send('jean', { to: 'samantha', body: 'hello' });
    await untilTried(home, id, 1);
    isBroken = false;

    await clock.advance(1000);

    await until(() => expect(pushed).toEqual(['hello']));
  });

  test.each([1, 2, 3])(
    'that comes while what another did not take is given back (commit %i) gets it',
    async (commit) => {
      await using home = await temporaryRelay();
      await home.register('jean');
      const gate = Promise.withResolvers<void>();
      const pushed: string[] = [];
      let isFirstThere = true;
      let isPushing = false;
      let commitsLeft = Number.POSITIVE_INFINITY;
      const attachSecond = () =>
        home.relay.mailboxes.attach('owner', {
          push: async (items) => void pushed.push(...items.map(({ body }) => body)),
          wants: () => true,
        });
      await using attached = new AsyncDisposableStack();
      await home.restart({
        ledger: {
          ...borrowed(home.ledger),
          transact: (work) => {
            const done = home.ledger.transact(work);
            if (--commitsLeft === 0) attached.use(attachSecond());
            return done;
          },
        },
      });
      attached.use(
        home.relay.mailboxes.attach('owner', {
          push: () => {
            isPushing = true;
            return gate.promise;
          },
          wants: () => isFirstThere,
        }),
      );
      await home.send('jean', { to: 'owner', body: 'one' });
      await until(() => expect(isPushing).toBe(true));
      await home.send('jean', { to: 'owner', body: 'two' });

      isFirstThere = false;
      commitsLeft = commit;
      gate.resolve();
      // So that there are three commits in any case.
      for (const body of ['a', 'b']) {
        await home.until(await home.send('jean', { to: 'jean', body }), 'delivered');
      }

      await until(() => expect(pushed).toEqual(['two']));
    },
  );
});

test('a file of a message that was ended meanwhile is taken away, and no other', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const gate = Promise.withResolvers<void>();
  home.inboxes.gate = gate.promise;
  const warm = await home.send('jean', { to: 'samantha', body: 'first' });
  await until(() => expect(home.inboxes.writes).toBe(1));
  const over = await home.send('jean', { to: 'samantha', body: 'over' });
  const stays = await home.send('jean', { to: 'samantha', body: 'stays' });
  await home.relay.mailboxes.settle('samantha', over, { kind: 'ack', body: '' });

  gate.resolve();

  await home.until(warm, 'delivered');
  await home.until(stays, 'delivered');
  await until(() => expect(home.inboxes.texts('samantha')).toHaveLength(2));
  expect(home.inboxes.texts('samantha').join()).not.toContain('over');
});

test('files that cannot be taken away do not take those along that were delivered', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha');
  const gate = Promise.withResolvers<void>();
  home.inboxes.gate = gate.promise;
  await home.send('jean', { to: 'samantha', body: 'first' });
  await until(() => expect(home.inboxes.writes).toBe(1));
  const over = await home.send('jean', { to: 'samantha', body: 'over' });
  const stays = await home.send('jean', { to: 'samantha', body: 'stays' });
  await home.relay.mailboxes.settle('samantha', over, { kind: 'ack', body: '' });
  home.inboxes.lookFailure = full;

  gate.resolve();
  await home.until(stays, 'delivered');
  home.inboxes.lookFailure = undefined;

  const after = await home.send('jean', { to: 'samantha', body: 'after' });
  await home.until(after, 'delivered');
  expect(home.inboxes.texts('samantha').join()).toContain('stays');
});
