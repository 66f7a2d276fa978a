import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import { day, temporaryTransfers } from '../../tests/support/temporary-transfers.ts';
import { realClock } from '../engines/clock.ts';
import type { TransferListQuery } from './list.ts';

const now = { waitMs: 0, signal: new AbortController().signal };

async function filled() {
  const here = await temporaryTransfers();
  const clock = here.clock as SimulatedClock;
  const put = here.send;
  const send = async (filename: string, to: string, metadata: Record<string, unknown> = {}) => {
    await clock.advance(1000);
    const [sent] = await put('samantha', `text of ${filename}`, {
      to: [to],
      filename,
      metadata,
    });
    return sent?.id ?? '';
  };
  const names = async (query: Partial<TransferListQuery>) => {
    const page = await here.transfers.list(
      { principal: 'jared', box: 'received', limit: 100, ...query },
      now,
    );
    return page.items.map(({ filename }) => filename);
  };
  return Object.assign(here, { send, names, clock });
}

test('each sees what was sent to it or by it, the newest first, and nothing else', async () => {
  await using here = await filled();
  await here.send('one.md', 'jared');
  await here.send('two.md', 'jean');
  await here.send('three.md', 'jared');

  expect(await here.names({})).toEqual(['three.md', 'one.md']);
  expect(await here.names({ box: 'sent' })).toEqual([]);
  expect(await here.names({ principal: 'jean' })).toEqual(['two.md']);
  expect(await here.names({ principal: 'jean', to: 'jared' })).toEqual([]);
  expect(await here.names({ principal: 'jean', box: 'all', to: 'jared' })).toEqual([]);
  expect(await here.names({ principal: 'jean', box: 'sent', from: 'samantha' })).toEqual([]);
  expect(await here.names({ principal: 'samantha', box: 'sent', to: 'jean' })).toEqual(['two.md']);
  expect(await here.names({ principal: undefined, box: 'all' })).toHaveLength(3);
});

test('names, senders, metadata and status choose among them', async () => {
  await using here = await filled();
  await here.send('one.md', 'jared', { priority: 'high', tags: ['a'] });
  const id = await here.send('two.pdf', 'jared', { priority: 'low' });
  await here.transfers.settle('jared', { id, step: 'verified' });

  expect(await here.names({ filename: '*.md' })).toEqual(['one.md']);
  expect(await here.names({ from: 'jean' })).toEqual([]);
  expect(await here.names({ metadata: { priority: 'high', tags: ['a'] } })).toEqual(['one.md']);
  expect(await here.names({ metadata: { priority: 1 } })).toEqual([]);
  expect(await here.names({ status: 'pending' })).toEqual(['one.md']);
  expect(await here.names({ status: 'downloaded' })).toEqual(['two.pdf']);
});

test('what is over by the clock is shown as expired before anybody has looked', async () => {
  await using here = await filled();
  await here.send('one.md', 'jared');
  await here.clock.advance(8 * day);

  expect(await here.names({ status: 'pending' })).toEqual([]);
  expect(await here.names({ status: 'expired' })).toEqual(['one.md']);
});

test('pages follow each other without a gap, also among what came in one moment', async () => {
  await using here = await filled();
  await here.send('one.md', 'jared');
  const { transfers } = await here.transfers.share('samantha', {
    ...{ id: await here.send('two.md', 'jared'), to: ['jared', 'jean'] },
  });
  const all: string[] = [];
  let before: string | undefined;
  for (let page = 0; page < 10; page++) {
    const found = await here.transfers.list(
      { principal: undefined, box: 'all', limit: 2, before },
      now,
    );
    all.push(...found.items.map(({ id }) => id));
    if (found.next === null) break;
    before = found.next;
  }

  expect(transfers).toHaveLength(2);
  expect(all.length).toBe(4);
  expect(new Set(all).size).toBe(4);
});

test('who waits for one is woken by it', async () => {
  await using here = await temporaryTransfers({ clock: realClock });
  const query = { principal: 'jared', box: 'received', limit: 10 } as const;
  const patience = { waitMs: 10_000, signal: new AbortController().signal };

  const waiting = here.transfers.list(query, patience);
  await here.send('samantha', 'soon', { to: ['jared'] });

  expect((await waiting).items).toHaveLength(1);
});

test('who waits for an ack is answered when it has come, or told that it never will', async () => {
  await using here = await temporaryTransfers({ clock: realClock });
  const [sent] = await here.send('samantha', 'soon', { to: ['jared'] });
  const id = sent?.id ?? '';
  const wait = (waitFor: 'verified' | 'accepted', waitMs: number) =>
    here.transfers.awaitAck({ id, waitFor }, { ...now, waitMs });

  const short = await wait('verified', 0);
  const waiting = wait('verified', 10_000);
  await here.transfers.settle('jared', { id, step: 'verified' });
  const long = await waiting;
  const never = expect(wait('accepted', 10_000)).rejects.toMatchObject({
    code: 'transfer.wrong-state',
    message: `Transfer ${id} ended as rejected, and never becomes accepted`,
  });
  await here.transfers.settle('jared', { id, step: 'rejected', reason: 'too old' });

  expect(short.ack).toBe('announced');
  expect(long.ack).toBe('verified');
  await never;
});

test('metrics count days, failures, what is saved and what is stored', async () => {
  await using here = await filled();
  await here.send('one.md', 'jared');
  await here.clock.advance(day);
  await here.send('two.md', 'jared');
  const begun = await here.begin('samantha', 'never', { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('it is new');
  await here.transfers.giveUp('samantha', { id: begun.upload, reason: 'no' });
  await here.transfers.share('samantha', {
    ...{ id: (await here.rows<{ id: string }>('select id from agent_transfers'))[0]?.id ?? '' },
    to: ['jean'],
  });

  const own = await here.transfers.metrics({ principal: 'samantha', days: 30 });
  const other = await here.transfers.metrics({ principal: 'jared', days: 30 });

  expect(own.days.map(({ day: on, count, failed }) => [on, count, failed])).toEqual([
    ['2030-01-01', 1, 0],
    ['2030-01-02', 3, 1],
  ]);
  expect(own).toMatchObject({ count: 4, failed: 1, quota_bytes: 1024 ** 3 });
  expect(own.saved_bytes).toBeGreaterThan(0);
  expect(own.average_bytes).toBe(Math.round(own.bytes / 4));
  expect(other).toMatchObject({ count: 0, storage_bytes: 0, average_bytes: 0 });
  expect(own.storage_bytes).toBeGreaterThan(own.saved_bytes);
});
