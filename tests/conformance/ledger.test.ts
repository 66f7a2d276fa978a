/** What every ledger does, whatever it is made of. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import {
  chainHead,
  chainStart,
  dataDigest,
  deleteEventsThrough,
  eraseEventData,
  insertSignedHead,
  lastCheckpoint,
  nextHead,
  readEvents,
  type SignedHead,
  signedHeadsIn,
  thinSignedHeads,
} from '../../src/ledger/events.ts';
import {
  type Ledger,
  readState,
  replaceState,
  type Transaction,
  writeState,
} from '../../src/ledger/ledger.ts';
import {
  addPendingOperation,
  completePendingOperation,
  openPendingOperations,
} from '../../src/ledger/operations/pending-operations.ts';
import {
  dueTimers,
  nextDue,
  removeTimer,
  setTimer,
  setTimerOnce,
  type Timer,
  takeFiring,
} from '../../src/ledger/timers.ts';
import { SimulatedLedger } from '../sim/ledger.ts';
import { temporaryLedger } from '../support/temporary-ledger.ts';

interface Held extends AsyncDisposable {
  readonly ledger: Ledger;
}

const engines: readonly (readonly [string, () => Promise<Held>])[] = [
  ['SQLite', () => temporaryLedger()],
  [
    'the simulated ledger',
    async () => {
      const ledger = await SimulatedLedger.create(realClock);
      return { ledger, [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose]() };
    },
  ],
];

const put =
  (key: string, value = '1') =>
  (tx: Transaction) =>
    writeState(tx, key, value, 1);

const happened =
  (subject: string, kind = 'test.happened') =>
  (tx: Transaction) =>
    tx.record({ actor: 'owner', kind, subject, data: { subject } });

async function keys(ledger: Ledger): Promise<string[]> {
  const rows = await ledger.committed.all<{ key: string }>(
    `select key from orchestrator_state where key <> 'epoch' order by key`,
  );
  return rows.map(({ key }) => key);
}

describe.each(engines)('%s', (_name, open) => {
  describe('transact()', () => {
    test('answers with what the closure returned, once it is committed', async () => {
      await using held = await open();

      const answer = await held.ledger.transact(async (tx) => {
        await put('a')(tx);
        return 'done';
      });

      expect(answer).toBe('done');
      expect(await keys(held.ledger)).toEqual(['a']);
    });

    test('runs closures one after another, in the order in which they came', async () => {
      await using held = await open();
      const steps: string[] = [];
      const closure = (name: string) => async (tx: Transaction) => {
        steps.push(`${name} begins`);
        await put(name)(tx);
        await readState(tx, name);
        steps.push(`${name} ends`);
      };

      await Promise.all(['a', 'b', 'c'].map((name) => held.ledger.transact(closure(name))));

      const expected = ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]);
      expect(steps).toEqual(expected);
    });

    test('lets a closure see what the one before it wrote', async () => {
      await using held = await open();

      const [, seen] = await Promise.all([
        held.ledger.transact(put('a', 'first')),
        held.ledger.transact((tx) => readState(tx, 'a')),
      ]);

      expect(seen).toBe('first');
    });

    test('undoes only the closure that throws, whoever was queued around it', async () => {
      await using held = await open();
      const failing = async (tx: Transaction) => {
        await put('b')(tx);
        throw new Error('b is not wanted');
      };

      const results = await Promise.allSettled([
        held.ledger.transact(put('a')),
        held.ledger.transact(failing),
        held.ledger.transact(put('c')),
      ]);

      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await keys(held.ledger)).toEqual(['a', 'c']);
    });

    test('hands on what was thrown, as it was', async () => {
      await using held = await open();

      const failing = held.ledger.transact(async () => {
        throw new RangeError('out of range');
      });

      await expect(failing).rejects.toBeInstanceOf(RangeError);
    });

    test('refuses a closure that waits for a timer, and keeps nothing of it', async () => {
      await using held = await open();
      const waiting = async (tx: Transaction) => {
        await put('before')(tx);
        await sleep(1);
        await put('after')(tx);
      };

      const results = await Promise.allSettled([
        held.ledger.transact(put('a')),
        held.ledger.transact(waiting),
        held.ledger.transact(put('c')),
      ]);
      await sleep(20);

      expect(results[1]).toMatchObject({
        status: 'rejected',
        reason: { code: 'ledger.foreign-await' },
      });
      expect(await keys(held.ledger)).toEqual(['a', 'c']);
    });

    test('refuses a closure that waits for a timer of no time at all', async () => {
      await using held = await open();

      const waiting = held.ledger.transact(async (tx) => {
        await new Promise((resolve) => setImmediate(resolve));
        await put('late')(tx);
      });

      await expect(waiting).rejects.toMatchObject({ code: 'ledger.foreign-await' });
      expect(await keys(held.ledger)).toEqual([]);
    });

    test('refuses one that waits for another transaction, which would wait for it', async () => {
      await using held = await open();

      const nested = held.ledger.transact(() => held.ledger.transact(put('inner')));

      await expect(nested).rejects.toMatchObject({ code: 'ledger.foreign-await' });
    });

    test('gives a closure a handle that is dead once the closure has ended', async () => {
      await using held = await open();
      let kept: Transaction | undefined;
      await held.ledger.transact(async (tx) => {
        kept = tx;
      });

      const late = async () => kept?.run('delete from orchestrator_state');

      await expect(late()).rejects.toMatchObject({ code: 'ledger.foreign-await' });
    });

    test('takes what came while a batch ran into the next one', async () => {
      await using held = await open();
      const inner: Promise<void>[] = [];

      await held.ledger.transact(async (tx) => {
        inner.push(held.ledger.transact(put('inner')));
        await put('outer')(tx);
      });
      await Promise.all(inner);

      expect(await keys(held.ledger)).toEqual(['inner', 'outer']);
    });
  });

  test('committed shows nothing of a transaction that is under way', async () => {
    await using held = await open();
    let seen: string | undefined;

    await held.ledger.transact(async (tx) => {
      await put('a')(tx);
      seen = await readState(held.ledger.committed, 'a');
    });

    expect(seen).toBeUndefined();
    expect(await readState(held.ledger.committed, 'a')).toBe('1');
  });

  test('a view shows what was committed, and refuses to write', async () => {
    await using held = await open();
    await held.ledger.transact(put('a'));

    using view = held.ledger.openView();

    expect(await readState(view, 'a')).toBe('1');
    await expect(view.run('delete from orchestrator_state')).rejects.toThrow();
  });

  test('committed refuses to write', async () => {
    await using held = await open();

    const write = held.ledger.committed.run(`delete from orchestrator_state`);

    await expect(write).rejects.toThrow();
  });

  describe('events', () => {
    test('are numbered and chained in the order of the closures', async () => {
      await using held = await open();
      await Promise.all(['a', 'b', 'c'].map((name) => held.ledger.transact(happened(name))));

      const events = await readEvents(
        held.ledger.committed,
        {},
        { limit: 9, order: 'oldest-first' },
      );

      expect(events.map(({ seq, subject }) => [seq, subject])).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ]);
      let head = chainStart;
      for (const event of events) {
        expect(event.prev_hash).toBe(head.hash);
        expect(event.data_digest).toBe(dataDigest(event.data ?? ''));
        head = nextHead(head, { ...event, dataDigest: event.data_digest });
        expect(event.hash).toBe(head.hash);
      }
      expect(await chainHead(held.ledger.committed)).toEqual(head);
    });

    test('of a closure that throws leave no hole in the chain', async () => {
      await using held = await open();
      const failing = async (tx: Transaction) => {
        await happened('lost')(tx);
        throw new Error('no');
      };

      await Promise.allSettled([
        held.ledger.transact(happened('a')),
        held.ledger.transact(failing),
        held.ledger.transact(happened('b')),
      ]);
      await held.ledger.transact(happened('c'));

      const events = await readEvents(
        held.ledger.committed,
        {},
        { limit: 9, order: 'oldest-first' },
      );
      expect(events.map(({ seq, subject }) => [seq, subject])).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ]);
      expect(events[2]?.prev_hash).toBe(events[1]?.hash);
    });

    test.each([
      ['after', { after: 2 }, ['agent:b', 'agent:c']],
      ['before', { before: 2 }, ['agent:a']],
      ['actor', { actor: 'agent:a' }, ['agent:b']],
      ['kind', { kind: 'agent.left' }, ['agent:b']],
      ['a whole area', { kind: 'agent.*' }, ['agent:a', 'agent:b', 'agent:c']],
      ['an area that is only the beginning of a word', { kind: 'age.*' }, []],
      ['subject', { subject: 'agent:c' }, ['agent:c']],
      ['whom it concerns', { concerning: 'agent:a' }, ['agent:a', 'agent:b']],
      ['two conditions', { after: 1, concerning: 'agent:a' }, ['agent:b']],
    ])('can be picked by %s', async (_what, filter, subjects) => {
      await using held = await open();
      await held.ledger.transact(async (tx) => {
        await tx.record({ actor: 'owner', kind: 'agent.registered', subject: 'agent:a' });
        await tx.record({ actor: 'owner', kind: 'other.thing', subject: 'x' });
        await tx.record({ actor: 'agent:a', kind: 'agent.left', subject: 'agent:b' });
        await tx.record({ actor: 'owner', kind: 'agent.registered', subject: 'agent:c' });
      });

      const page = { limit: 9, order: 'oldest-first' as const };
      const events = await readEvents(held.ledger.committed, filter, page);

      expect(events.map(({ subject }) => subject).filter((subject) => subject !== 'x')).toEqual(
        subjects,
      );
    });

    test.each(['half a pair \ud83d', 'nul \0 inside', 'new\nline', '', '\u2028 \u202e'])(
      'keep their hash whatever the subject is: %j',
      async (subject) => {
        await using held = await open();
        await held.ledger.transact(happened(subject));

        const [event] = await readEvents(
          held.ledger.committed,
          {},
          { limit: 1, order: 'newest-first' },
        );

        if (event === undefined) throw new Error('the event is not there');
        const again = nextHead(chainStart, { ...event, dataDigest: event.data_digest });
        expect(event.hash).toBe(again.hash);
        expect(dataDigest(event.data ?? '')).toBe(event.data_digest);
      },
    );

    test('wake whoever listens after the commit, and nobody when there were none', async () => {
      await using held = await open();
      let wakes = 0;
      using _listening = held.ledger.onEvents(() => {
        wakes += 1;
      });

      await held.ledger.transact(put('a'));
      const before = wakes;
      await held.ledger.transact(happened('a'));

      expect([before, wakes]).toEqual([0, 1]);
    });

    test('can lose their data and not their place', async () => {
      await using held = await open();
      await held.ledger.transact(happened('a'));

      const erased = await held.ledger.transact((tx) => eraseEventData(tx, 1));

      const [event] = await readEvents(
        held.ledger.committed,
        {},
        { limit: 1, order: 'oldest-first' },
      );
      expect(erased).toBe(1);
      expect(event).toMatchObject({
        seq: 1,
        data: null,
        data_digest: dataDigest('{"subject":"a"}'),
      });
    });

    test('can be cut off at a checkpoint, and the numbers go on', async () => {
      await using held = await open();
      await Promise.all(['a', 'b', 'c'].map((name) => held.ledger.transact(happened(name))));
      const head = await chainHead(held.ledger.committed);
      const signed: SignedHead = {
        ...head,
        at: 1,
        reason: 'checkpoint',
        signer: '0x1',
        signature: '0x2',
      };

      await held.ledger.transact(async (tx) => {
        await insertSignedHead(tx, signed);
        await deleteEventsThrough(tx, head.seq);
      });
      const afterCut = await chainHead(held.ledger.committed);
      await held.ledger.transact(happened('d'));

      expect(afterCut).toMatchObject(head);
      expect(await lastCheckpoint(held.ledger.committed)).toEqual(signed);
      expect(
        await signedHeadsIn(held.ledger.committed, {
          after: 0,
          through: Number.MAX_SAFE_INTEGER,
          limit: 1000,
        }),
      ).toHaveLength(1);
      expect(await chainHead(held.ledger.committed)).toMatchObject({ seq: 4 });
    });
  });

  test('of signed heads of long ago the last one of each hour is kept', async () => {
    await using held = await open();
    const hour = 3_600_000;
    const moments = [0, 1, hour - 1, hour, hour + 5, 3 * hour, 3 * hour + 1];
    await held.ledger.transact(async (tx) => {
      for (const [place, at] of moments.entries()) {
        const head = { seq: place + 1, hash: 'h', reason: 'head', signer: 's', signature: 't' };
        await insertSignedHead(tx, { ...head, at, reason: place === 0 ? 'checkpoint' : 'head' });
      }
    });

    await held.ledger.transact((tx) => thinSignedHeads(tx, 3 * hour));

    const all = { after: 0, through: 100, limit: 100 };
    const kept = await signedHeadsIn(held.ledger.committed, all);
    expect(kept.map(({ at }) => at)).toEqual([0, hour - 1, hour + 5, 3 * hour, 3 * hour + 1]);
  });

  describe('orchestrator_state', () => {
    test('is replaced only from the value that was seen', async () => {
      await using held = await open();
      await held.ledger.transact(put('lead', 'jean'));

      const wrong = { from: 'jared', to: 'samantha', at: 2 };
      const right = { from: 'jean', to: 'samantha', at: 2 };
      const answers = [
        await held.ledger.transact((tx) => replaceState(tx, 'lead', wrong)),
        await held.ledger.transact((tx) => replaceState(tx, 'lead', right)),
        await held.ledger.transact((tx) => replaceState(tx, 'lead', right)),
      ];

      expect(answers).toEqual([false, true, false]);
      expect(await readState(held.ledger.committed, 'lead')).toBe('samantha');
    });
  });

  describe('pending_operations', () => {
    test('are open until somebody completes them, which only one can', async () => {
      await using held = await open();
      const operation = { type: 'spawn', payload: { name: 'jean' }, at: 5 };
      const id = await held.ledger.transact((tx) => addPendingOperation(tx, operation));
      await held.ledger.transact((tx) =>
        addPendingOperation(tx, { ...operation, type: 'release' }),
      );

      const answers = [
        await held.ledger.transact((tx) => completePendingOperation(tx, id, 7)),
        await held.ledger.transact((tx) => completePendingOperation(tx, id, 8)),
      ];

      expect(answers).toEqual([true, false]);
      const open_ = await openPendingOperations(held.ledger.committed, 10);
      expect(open_).toMatchObject([{ operation_type: 'release', completed_at: null }]);
    });
  });

  describe('timers', () => {
    const timer: Timer = {
      id: 't1',
      kind: 'test.ring',
      subject: 'x',
      payload: '{}',
      due_at: 100,
      every_ms: null,
    };

    test('are due from their moment on', async () => {
      await using held = await open();
      await held.ledger.transact((tx) => setTimer(tx, timer, 1));

      const early = await dueTimers(held.ledger.committed, { now: 99, limit: 10 });
      const due = await dueTimers(held.ledger.committed, { now: 100, limit: 10 });

      expect(early).toEqual([]);
      expect(due).toEqual([timer]);
      expect(await nextDue(held.ledger.committed)).toBe(100);
    });

    test('that ring once can be taken once', async () => {
      await using held = await open();
      await held.ledger.transact((tx) => setTimer(tx, timer, 1));

      const takes = await Promise.all(
        [1, 2, 3].map(() => held.ledger.transact((tx) => takeFiring(tx, timer, 100))),
      );

      expect(takes).toEqual([true, false, false]);
      expect(await nextDue(held.ledger.committed)).toBeUndefined();
    });

    test('that ring again are set to the next moment ahead, however long nobody ran', async () => {
      await using held = await open();
      const again = { ...timer, every_ms: 10 };
      await held.ledger.transact((tx) => setTimer(tx, again, 1));

      const taken = await held.ledger.transact((tx) => takeFiring(tx, again, 1234));
      const twice = await held.ledger.transact((tx) => takeFiring(tx, again, 1234));

      expect([taken, twice]).toEqual([true, false]);
      expect(await nextDue(held.ledger.committed)).toBe(1240);
    });

    test('that ring again are due when the clock was put back behind their pace', async () => {
      await using held = await open();
      const again = { ...timer, due_at: 100_000, every_ms: 10 };
      await held.ledger.transact((tx) => setTimer(tx, again, 1));
      await held.ledger.transact((tx) =>
        setTimer(tx, { ...timer, id: 'once', due_at: 100_000 }, 1),
      );

      const due = await dueTimers(held.ledger.committed, { now: 50, limit: 10 });
      await held.ledger.transact((tx) => takeFiring(tx, again, 50));

      expect(due).toEqual([again]);
      expect(await nextDue(held.ledger.committed)).toBe(60);
    });

    test('can be moved, kept as they are, and removed', async () => {
      await using held = await open();
      await held.ledger.transact((tx) => setTimer(tx, timer, 1));

      await held.ledger.transact((tx) => setTimerOnce(tx, { ...timer, due_at: 7 }, 1));
      const kept = await nextDue(held.ledger.committed);
      await held.ledger.transact((tx) => setTimer(tx, { ...timer, due_at: 7 }, 1));
      const moved = await nextDue(held.ledger.committed);
      const removed = [
        await held.ledger.transact((tx) => removeTimer(tx, 't1')),
        await held.ledger.transact((tx) => removeTimer(tx, 't1')),
      ];

      expect([kept, moved]).toEqual([100, 7]);
      expect(removed).toEqual([true, false]);
    });
  });

  test('many callers at once each get their own answer, and every write is there', async () => {
    await using held = await open();
    const names = Array.from({ length: 500 }, (_, number) => `k${String(number).padStart(3, '0')}`);

    const answers = await Promise.all(
      names.map((name) =>
        held.ledger.transact(async (tx) => {
          await put(name)(tx);
          await happened(name)(tx);
          return name;
        }),
      ),
    );

    expect(answers).toEqual(names);
    expect(await keys(held.ledger)).toEqual(names);
    expect(await chainHead(held.ledger.committed)).toMatchObject({ seq: 500 });
  });

  test('closing answers what was taken, and refuses what comes later', async () => {
    const held = await open();
    const taken = held.ledger.transact(put('a'));

    const closing = held[Symbol.asyncDispose]();
    const late = held.ledger.transact(put('b'));

    await expect(late).rejects.toMatchObject({ code: 'ledger.closed' });
    await expect(taken).resolves.toBeUndefined();
    await closing;
  });
});
