import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { deleteEventsThrough, type EventFilter } from '../../ledger/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Doorbell, type FeedPage, readFeed, startPosition } from './feed.ts';

async function record(ledger: Ledger, kind: string, count: number): Promise<void> {
  await ledger.transact(async (tx) => {
    for (let index = 0; index < count; index++) {
      await tx.record({ actor: 'owner', kind, subject: 'x' });
    }
  });
}

function open(
  ledger: Ledger,
  { filter = {} as EventFilter, from = 0, pageEvents = 10, scanEvents = 1000 } = {},
) {
  const bell = new Doorbell();
  const stop = new AbortController();
  let pauses = 0;
  const pause = async (): Promise<void> => void pauses++;
  const feed = { sql: ledger.committed, bell, pageEvents, scanEvents, pause };
  const pages = readFeed(feed, filter, { from, signal: stop.signal });
  const next = async (): Promise<FeedPage> => {
    const { value } = await pages.next();
    if (value === undefined) throw new Error('the feed has ended');
    return value;
  };
  return { bell, stop, pages, next, pauses: () => pauses };
}

const seqs = (page: FeedPage) => page.events.map(({ seq }) => seq);

test('readFeed() hands out what is there in pages, then what comes', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, 'a.b', 25);
  const { bell, next } = open(home.ledger);

  const found = [...seqs(await next()), ...seqs(await next()), ...seqs(await next())];
  const waiting = next();
  await record(home.ledger, 'a.b', 1);
  bell.ring();

  expect(found).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(seqs(await waiting)).toEqual([26]);
});

test('a bell that rang while a page was read is not missed', async () => {
  await using home = await temporaryLedger();
  const { bell, next } = open(home.ledger);

  const first = next();
  bell.ring();
  await first;
  await record(home.ledger, 'a.b', 1);

  expect(seqs(await next())).toEqual([1]);
});

test('with a filter no event is left out and none comes twice, and the place moves on', async () => {
  await using home = await temporaryLedger();
  const { bell, next } = open(home.ledger, {
    filter: { kind: 'wanted.*' },
    pageEvents: 3,
    scanEvents: 4,
  });
  const found: number[] = [];
  let place = 0;

  for (let round = 0; round < 20; round++) {
    await record(home.ledger, 'other.thing', round % 4);
    await record(home.ledger, 'wanted.thing', round % 5);
    bell.ring();
    do {
      const page = await next();
      found.push(...seqs(page));
      place = page.position;
    } while (place < (await startPosition(home.ledger.committed, undefined)));
  }

  const rows = await home.ledger.committed.all<{ seq: number }>(
    "select seq from events where kind = 'wanted.thing' order by seq",
  );
  expect(found).toEqual(rows.map(({ seq }) => seq));
});

test('events that were pruned are named before those that are kept', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, 'a.b', 20);
  await home.ledger.transact((tx) => deleteEventsThrough(tx, 12));
  const { next } = open(home.ledger, { from: 4, pageEvents: 3 });

  const page = await next();

  expect(page).toMatchObject({ pruned: { from: 5, to: 12 }, position: 15 });
  expect(seqs(page)).toEqual([13, 14, 15]);
  expect(await next()).toMatchObject({ pruned: undefined, position: 18 });
});

test('a pruned stretch longer than one look is named once, and the next event comes after it', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, 'a.b', 60);
  await home.ledger.transact((tx) => deleteEventsThrough(tx, 50));
  const { next } = open(home.ledger, { from: 4, pageEvents: 3, scanEvents: 10 });

  const first = await next();
  const second = await next();

  expect(first).toMatchObject({ pruned: { from: 5, to: 50 }, events: [], position: 50 });
  expect(first.hasMore).toBe(true);
  expect(second.pruned).toBeUndefined();
  expect(seqs(second)).toEqual([51, 52, 53]);
});

test('what is rare is looked for a stretch at a time, and others get a turn in between', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, 'a.common', 100);
  await record(home.ledger, 'b.rare', 1);
  const { next, pauses } = open(home.ledger, { filter: { kind: 'b.rare' }, scanEvents: 10 });

  const pages: FeedPage[] = [];
  for (let index = 0; index < 11; index++) pages.push(await next());

  expect(pages.map(({ position }) => position)).toEqual([
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 101],
  ]);
  expect(pages.flatMap(seqs)).toEqual([101]);
  expect(pauses()).toBe(10);
});

test('the feed ends when nobody wants it any more, also while it waits', async () => {
  await using home = await temporaryLedger();
  const { stop, pages } = open(home.ledger);
  await pages.next();

  const waiting = pages.next();
  stop.abort();

  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('a place behind the last event is refused', async () => {
  await using home = await temporaryLedger();
  await record(home.ledger, 'a.b', 2);

  expect(await startPosition(home.ledger.committed, undefined)).toBe(2);
  expect(await startPosition(home.ledger.committed, 2)).toBe(2);
  await expect(startPosition(home.ledger.committed, 3)).rejects.toMatchObject({
    code: 'events.unknown-position',
  });
});
