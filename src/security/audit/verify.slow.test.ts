import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import {
  chainStart,
  nextHead,
  type SealedEvent,
  type SignedHead,
  signedHeadsIn,
} from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { insertPrincipal } from '../../ledger/security/principals.ts';
import type { Signer } from '../identity/key-file.ts';
import { newKeyPair, signText } from '../identity/key-pair.ts';
import { signedHead, signHead, signNewHead } from './head.ts';
import { eraseEvents, pruneEvents } from './prune.ts';
import { verifyChain } from './verify.ts';

interface Trail extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly clock: SimulatedClock;
  readonly owner: Signer;
  /** Records that many events, a second apart. */
  grow(count: number): Promise<void>;
  sign(): Promise<SignedHead>;
  erase(...seqs: number[]): Promise<unknown>;
  /** Prunes everything through this event, when events are a second apart. */
  pruneThrough(seq: number): Promise<unknown>;
  verify(keptHead?: SignedHead): ReturnType<typeof verifyChain>;
  /** What somebody does who can write the file and knows SQL. */
  tamper(statement: string): void;
  /** Makes every hash right again, and the signed heads too as far as one can without the key. */
  rehash(): void;
}

function signer(seed: string): Signer {
  const key = newKeyPair(seededRandom(seed));
  return { address: key.address, sign: (text) => signText(key, text) };
}

async function temporaryTrail(): Promise<Trail> {
  const clock = new SimulatedClock();
  const start = clock.now();
  const { ledger, path, ...temporary } = await temporaryLedger({ clock });
  const owner = signer('owner');
  await ledger.transact((tx) =>
    insertPrincipal(tx, {
      id: 'owner',
      kind: 'human',
      address: owner.address,
      public_key: '0x',
      created_at: 0,
    }),
  );
  const tamper = (statement: string) => {
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();
  };
  return {
    ledger,
    clock,
    owner,
    async grow(count) {
      for (let index = 0; index < count; index++) {
        await clock.advance(1000);
        const data = { index };
        await ledger.transact((tx) =>
          tx.record({ actor: 'agent:jean', kind: 'test.happened', subject: 'test', data }),
        );
      }
    },
    async sign() {
      const head = await signHead({ ledger, owner, clock });
      if (head === undefined) throw new Error('there was nothing to sign');
      return head;
    },
    erase: (...seqs) => eraseEvents(ledger, { seqs, actor: 'owner' }),
    pruneThrough: (seq) =>
      pruneEvents({ ledger, owner, clock }, { olderThan: start + 1000 * seq + 1 }),
    verify: (keptHead) => verifyChain({ ledger }, { keptHead }),
    tamper,
    rehash: () => rehash(path),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

function rehash(path: string): void {
  const database = new DatabaseSync(path);
  const change = database.prepare('update events set prev_hash = ?, hash = ? where seq = ?');
  let head = chainStart;
  // A statement's rows have the columns that were asked for.
  for (const event of database
    .prepare('select * from events order by seq')
    .all() as unknown as SealedEvent[]) {
    const next = nextHead(head, { ...event, dataDigest: event.data_digest });
    change.run(head.hash, next.hash, event.seq);
    head = next;
  }
  database.close();
}

describe('a chain is whole', () => {
  test('when nothing has happened yet', async () => {
    await using trail = await temporaryTrail();

    expect(await trail.verify()).toEqual({
      kind: 'whole',
      events: 0,
      from: chainStart,
      head: chainStart,
      erased: 0,
      signedHeads: 0,
      keptHead: 'none',
    });
  });

  test('as it was recorded, with its heads and one that was kept', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();
    await trail.grow(5);
    const { seq, hash } = await trail.sign();

    expect(await trail.verify(kept)).toEqual({
      kind: 'whole',
      events: 10,
      from: chainStart,
      head: { seq, hash },
      erased: 0,
      signedHeads: 2,
      keptHead: 'fits',
    });
  });

  test('with erased data', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    await trail.sign();
    await trail.erase(2, 4);
    await trail.erase(5);

    expect(await trail.verify()).toMatchObject({ kind: 'whole', events: 7, erased: 3 });
  });

  test('after pruning, also again and again, and with erased data', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(10);
    await trail.sign();
    await trail.erase(1, 3, 8);
    await trail.pruneThrough(2);
    await trail.pruneThrough(6);

    expect(await trail.verify()).toMatchObject({
      kind: 'whole',
      events: 7,
      from: { seq: 6 },
      erased: 1,
      // The checkpoint, and the head of event 10.
      signedHeads: 2,
    });
  });

  test('when it has more events than a page, with pauses in between', async () => {
    await using trail = await temporaryTrail();
    await trail.ledger.transact(async (tx) => {
      for (let index = 0; index < 2500; index++) {
        await tx.record({
          actor: 'owner',
          kind: 'test.happened',
          subject: 'test',
          data: { index },
        });
      }
    });
    await trail.erase(7, 1500, 2500);
    let pauses = 0;
    const pause = async () => {
      pauses++;
    };

    const verification = await verifyChain({ ledger: trail.ledger, pause });

    expect(verification).toMatchObject({ kind: 'whole', events: 2501, erased: 3 });
    expect(pauses).toBeGreaterThanOrEqual(3);
  });

  test('while it grows, is erased from and is pruned under our eyes', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(3000);
    await trail.sign();
    let pauses = 0;
    const pause = async () => {
      pauses++;
      if (pauses === 1) {
        await trail.erase(1200, 2900);
        await trail.grow(1);
        await trail.sign();
      }
      if (pauses === 2) await trail.pruneThrough(2500);
    };

    const verification = await verifyChain({ ledger: trail.ledger, pause });

    expect(verification).toMatchObject({ kind: 'whole', from: { seq: 2500 }, erased: 1 });
  });
});

describe('a number that cannot be read', () => {
  const largest = '9223372036854775807';
  const smallest = '-9223372036854775808';

  test.each([
    ['as the time of an event', `update events set at = ${largest} where seq = 6`, 6],
    ['as a time long before', `update events set at = ${smallest} where seq = 6`, 6],
    ['as the time of the first event', `update events set at = ${largest} where seq = 1`, 1],
    ['as the number of an event', `update events set seq = ${largest} where seq = 6`, 6],
    ['as the number of the last event', `update events set seq = ${largest} where seq = 8`, 8],
    ['as a number before the start', `update events set seq = ${smallest} where seq = 6`, 0],
    ['as the time of a signed head', `update event_heads set at = ${largest} where seq = 5`, 5],
    [
      'as another number before it',
      'update events set seq = -9000000000000000000 where seq = 6',
      0,
    ],
    [
      'behind an event that was changed too',
      `update events set at = ${largest} where seq = 6; update events set kind = 'x' where seq = 3`,
      3,
    ],
  ])('is named: %s', async (_what, statement, seq) => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    await trail.sign();
    await trail.grow(3);
    trail.tamper(statement);

    expect(await trail.verify()).toMatchObject({ kind: 'broken', seq });
  });

  test('is named as the time of a checkpoint', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    await trail.pruneThrough(3);
    trail.tamper(`update event_heads set at = ${largest}`);

    expect(await trail.verify()).toMatchObject({
      kind: 'broken',
      seq: 3,
      why: expect.stringContaining('head has a time'),
    });
  });

  test('is named as the time of an erasure, before what it erased is judged', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    await trail.erase(2);
    trail.tamper(`update events set at = ${largest} where seq = 6`);

    expect(await trail.verify()).toMatchObject({ kind: 'broken', seq: 6 });
  });
});

describe('the first bad event is named when', () => {
  const harms: readonly [string, string, { seq: number; why: RegExp }][] = [
    [
      'its actor was changed',
      `update events set actor = 'x' where seq = 6`,
      { seq: 6, why: /changed/ },
    ],
    [
      'its time was changed',
      'update events set at = at + 1 where seq = 6',
      { seq: 6, why: /changed/ },
    ],
    [
      'its kind was changed',
      `update events set kind = 'x' where seq = 6`,
      { seq: 6, why: /changed/ },
    ],
    [
      'its subject was changed',
      `update events set subject = 'x' where seq = 6`,
      { seq: 6, why: /changed/ },
    ],
    [
      'its data was changed',
      `update events set data = '{}' where seq = 6`,
      { seq: 6, why: /data was changed/ },
    ],
    [
      'its data was changed with its digest',
      `update events set data = '{}', data_digest = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' where seq = 6`,
      { seq: 6, why: /It was changed/ },
    ],
    [
      'its digest was taken away',
      'update events set data_digest = null where seq = 6',
      { seq: 6, why: /changed/ },
    ],
    [
      'its hash was changed',
      `update events set hash = 'x' where seq = 6`,
      { seq: 6, why: /changed/ },
    ],
    [
      'its link was changed',
      `update events set prev_hash = 'x' where seq = 6`,
      { seq: 6, why: /follow/ },
    ],
    [
      'its data was taken away',
      'update events set data = null where seq = 6',
      { seq: 6, why: /no later event/ },
    ],
    [
      'it was removed',
      'delete from events where seq = 6',
      { seq: 6, why: /missing: event 7 comes next/ },
    ],
    ['the first one was removed', 'delete from events where seq = 1', { seq: 1, why: /missing/ }],
    [
      'the first ones were removed',
      'delete from events where seq <= 3',
      { seq: 1, why: /missing/ },
    ],
    [
      'two changed places',
      'update events set seq = case seq when 6 then -7 when 7 then -6 end where seq in (6, 7); update events set seq = -seq where seq < 0',
      { seq: 6, why: /follow/ },
    ],
    [
      'one was put before the first',
      `update events set seq = 0 where seq = 12`,
      { seq: 0, why: /before the start/ },
    ],
    [
      'the tail was removed and its head left',
      'delete from events where seq > 8',
      { seq: 9, why: /ends with event 8, but a signed head names 10/ },
    ],
    [
      'its head has another hash',
      `update event_heads set hash = 'x' where seq = 5`,
      { seq: 5, why: /rewritten at or before event 5/ },
    ],
    [
      'its head has another signature',
      `update event_heads set signature = (select signature from event_heads where seq = 10) where seq = 5`,
      { seq: 5, why: /not signed by the owner/ },
    ],
    [
      'its head has another time',
      'update event_heads set at = at + 1 where seq = 5',
      { seq: 5, why: /not signed/ },
    ],
    [
      'its head has an impossible time',
      'update event_heads set at = 8640000000000001 where seq = 5',
      { seq: 5, why: /not signed/ },
    ],
    [
      'its head has another signer',
      `update event_heads set signer = '0x' where seq = 5`,
      { seq: 5, why: /not signed/ },
    ],
    ['there is no owner', 'delete from principals', { seq: 5, why: /not signed by the owner/ }],
    [
      'a head was made a checkpoint and what is before it removed',
      `update event_heads set reason = 'checkpoint' where seq = 5; delete from events where seq <= 5`,
      { seq: 5, why: /checkpoint of event 5 is not signed/ },
    ],
    [
      'the sixth and the ninth were changed',
      `update events set actor = 'x' where seq in (6, 9)`,
      { seq: 6, why: /changed/ },
    ],
  ];

  test.each(harms)('%s', async (_what, statement, expected) => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    await trail.sign();
    await trail.grow(5);
    await trail.sign();
    await trail.grow(2);
    expect(await trail.verify()).toMatchObject({ kind: 'whole', signedHeads: 2 });

    trail.tamper(statement);

    expect(await trail.verify()).toEqual({
      kind: 'broken',
      seq: expected.seq,
      why: expect.stringMatching(expected.why),
    });
  });

  test('the data of an erasure was taken away', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(3);
    await trail.erase(2);

    trail.tamper(`update events set data = null where kind = 'audit.erased'`);

    // Nothing says any more that the second was erased.
    expect(await trail.verify()).toMatchObject({ kind: 'broken', seq: 2 });
  });

  test('the data of an "audit" event is gone, though another one says it was erased', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(3);
    await trail.erase(2);
    await trail.ledger.transact((tx) =>
      tx.record({ actor: 'x', kind: 'audit.erased', subject: 'ledger', data: { seqs: [2, 4] } }),
    );

    trail.tamper('update events set data = null where seq = 4');

    expect(await trail.verify()).toMatchObject({
      kind: 'broken',
      seq: 4,
      why: expect.stringMatching(/never erased/),
    });
  });

  test('an erasure tells of an event that came after it', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(1);
    await trail.ledger.transact((tx) =>
      tx.record({ actor: 'x', kind: 'audit.erased', subject: 'ledger', data: { seqs: [1, 4] } }),
    );
    await trail.grow(3);

    trail.tamper('update events set data = null where seq in (1, 4)');

    expect(await trail.verify()).toMatchObject({ kind: 'broken', seq: 4 });
  });

  test.each([
    ['an event was put before the checkpoint', 'update events set seq = 2 where seq = 10', 2],
    ['a head was put before the checkpoint', 'update event_heads set seq = 3 where seq = 8', 3],
    ['the checkpoint was taken away', 'delete from event_heads where seq = 4', 1],
    ['the checkpoint was moved back', 'update event_heads set seq = 3 where seq = 4', 3],
    [
      'the checkpoint was signed by nobody',
      `update event_heads set signature = '0x' where seq = 4`,
      4,
    ],
  ])('%s', async (_what, statement, seq) => {
    await using trail = await temporaryTrail();
    await trail.grow(8);
    await trail.sign();
    await trail.pruneThrough(4);
    await trail.grow(2);
    expect(await trail.verify()).toMatchObject({ kind: 'whole', from: { seq: 4 } });

    trail.tamper(statement);

    expect(await trail.verify()).toMatchObject({ kind: 'broken', seq });
  });
});

describe('a head that was kept elsewhere', () => {
  test('finds a tail that was cut off with its heads', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(10);
    const kept = await trail.sign();

    trail.tamper('delete from events where seq > 7; delete from event_heads');

    expect(await trail.verify()).toMatchObject({ kind: 'whole' });
    expect(await trail.verify(kept)).toEqual({
      kind: 'broken',
      seq: 8,
      why: expect.stringMatching(/^The last 3 events are missing/),
    });
  });

  test('finds a last event that was cut off', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(10);
    const kept = await trail.sign();

    trail.tamper('delete from events where seq = 10; delete from event_heads');

    expect(await trail.verify(kept)).toMatchObject({
      seq: 10,
      why: expect.stringMatching(/^The last event is missing/),
    });
  });

  test('finds a chain that was wholly written anew', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();
    await trail.grow(5);

    trail.tamper(
      `update events set actor = 'agent:samantha' where seq = 2; delete from event_heads`,
    );
    trail.rehash();

    expect(await trail.verify()).toMatchObject({ kind: 'whole' });
    expect(await trail.verify(kept)).toEqual({
      kind: 'broken',
      seq: 5,
      why: expect.stringContaining('rewritten at or before event 5'),
    });
  });

  test('is not needed while the heads in the ledger are left', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    await trail.sign();
    await trail.grow(5);

    trail.tamper(`update events set actor = 'agent:samantha' where seq = 2`);
    trail.rehash();

    expect(await trail.verify()).toMatchObject({ kind: 'broken', seq: 5 });
  });

  test('finds a ledger that was emptied', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();

    trail.tamper('delete from events; delete from event_heads');

    expect(await trail.verify(kept)).toMatchObject({
      kind: 'broken',
      seq: 1,
      why: expect.stringContaining('last 5 events'),
    });
  });

  test('finds a chain signed anew by an owner who was put into the ledger', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();
    const thief = signer('thief');

    trail.tamper(`update principals set address = '${thief.address}'; delete from event_heads`);

    await expect(trail.verify(kept)).rejects.toMatchObject({
      code: 'audit.bad-head',
      message: expect.stringContaining(thief.address),
    });
  });

  test('cannot be compared any more once its events are pruned, which is said', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();
    await trail.grow(5);
    await trail.pruneThrough(6);

    expect(await trail.verify(kept)).toMatchObject({ kind: 'whole', keptHead: 'too-old' });
  });

  test('is compared with the checkpoint of the same event', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();
    await trail.grow(5);
    await trail.pruneThrough(5);
    const other = signedHead(trail.owner, { ...kept, hash: 'f'.repeat(64) });

    expect(await trail.verify(kept)).toMatchObject({ kind: 'whole', keptHead: 'fits' });
    expect(await trail.verify(other)).toMatchObject({
      kind: 'broken',
      seq: 5,
      why: expect.stringMatching(/rewritten/),
    });
  });

  test.each<[string, (head: SignedHead) => SignedHead]>([
    ['its signature is broken', (head) => ({ ...head, signature: '0x00' })],
    ['its hash was changed', (head) => ({ ...head, hash: 'f'.repeat(64) })],
    ['its number was changed', (head) => ({ ...head, seq: head.seq - 1 })],
    ['its time was changed', (head) => ({ ...head, at: head.at + 1 })],
    ['its time is none', (head) => ({ ...head, at: Number.NaN })],
    ['it is passed off as a checkpoint', (head) => ({ ...head, reason: 'checkpoint' })],
    ['somebody else signed it', (head) => signedHead(signer('thief'), head)],
    [
      'somebody else signed it in the name of the owner',
      (head) => ({ ...signedHead(signer('thief'), head), signer: head.signer }),
    ],
  ])('is refused when %s', async (_what, change) => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();

    await expect(trail.verify(change(kept))).rejects.toMatchObject({ code: 'audit.bad-head' });
  });

  test('is refused by a ledger without an owner', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(5);
    const kept = await trail.sign();
    trail.tamper('delete from principals; delete from event_heads');

    await expect(trail.verify(kept)).rejects.toMatchObject({ code: 'audit.bad-head' });
  });
});

describe('signNewHead()', () => {
  test('signs an end that nobody has signed, and says nothing of one that is signed', async () => {
    await using trail = await temporaryTrail();
    const empty = await signNewHead(trail);
    await trail.grow(2);

    const first = await signNewHead(trail);
    const again = await signNewHead(trail);
    await trail.grow(1);
    const next = await signNewHead(trail);

    expect([empty, first?.seq, again, next?.seq]).toEqual([undefined, 2, undefined, 3]);
    expect(await signHead(trail)).toEqual(next);
  });
});

describe('signHead()', () => {
  test('has nothing to sign in an empty chain', async () => {
    await using trail = await temporaryTrail();

    expect(await signHead(trail)).toBeUndefined();
  });

  test('signs the words that a person can read, and each event once', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(3);
    const texts: string[] = [];
    const owner: Signer = {
      address: trail.owner.address,
      sign(text) {
        texts.push(text);
        return trail.owner.sign(text);
      },
    };

    const first = await signHead({ ...trail, owner });
    await trail.clock.advance(60_000);
    const second = await signHead({ ...trail, owner });

    expect(second).toEqual(first);
    expect(
      await signedHeadsIn(trail.ledger.committed, {
        after: 0,
        through: Number.MAX_SAFE_INTEGER,
        limit: 1000,
      }),
    ).toEqual([first]);
    expect(texts).toEqual([
      `Agent OS ledger head\nseq: 3\nhash: ${first?.hash}\nat: 2030-01-01T00:00:03.000Z`,
    ]);
  });

  test('signs what stands at the end when several do it at once', async () => {
    await using trail = await temporaryTrail();
    await trail.grow(2);

    const heads = await Promise.all([trail.sign(), trail.grow(1), trail.sign()]);

    expect([heads[0]?.seq, heads[2]?.seq]).toEqual([2, 2]);
    expect(await trail.verify()).toMatchObject({ kind: 'whole', events: 3, signedHeads: 1 });
  });
});
