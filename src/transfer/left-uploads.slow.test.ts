import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import {
  day,
  once,
  sha256,
  storedOf,
  type TemporaryTransfers,
  temporaryTransfers,
  type WishDraft,
  wishOf,
} from '../../tests/support/temporary-transfers.ts';
import { realClock } from '../engines/clock.ts';
import { realDisk } from '../engines/disk/disk.ts';

const text = 'what was found';
const minute = 60_000;
const stream = { kind: 'stream', sizeBytes: null, sha256: null } as const;
const writer = { pid: 7, started: 'then' };

/** A machine on which the process 7 runs, until it does not. */
async function withWriter() {
  const machine = { isAlive: true, boot: 'one' };
  const processes = {
    startTimeOf: (pid: number) => (pid === 7 && machine.isAlive ? 'then' : undefined),
    bootId: () => machine.boot,
  };
  const here = await temporaryTransfers({ deps: { processes } });
  return Object.assign(here, { machine, clock: here.clock as SimulatedClock });
}

/** Begins it, and leaves it with a few bytes; its id. */
async function leave(here: TemporaryTransfers, said: string, draft: Partial<WishDraft> = {}) {
  const wish = wishOf(said, { to: ['jared'], ...draft });
  const begun = await here.transfers.begin({ principal: 'samantha', isLocal: true }, wish);
  if (begun.state !== 'open') throw new Error(`it was ${begun.state}`);
  const id = begun.upload;
  await here.transfers.addBytes('samantha', { id, from: 0, source: once(new Uint8Array(5)) });
  return id;
}

async function uploadsIn(here: TemporaryTransfers): Promise<string[]> {
  const rows = await here.rows<{ id: string }>('select id from transfer_uploads order by id');
  for (const { id } of rows) expect(hasFile(here, id)).toBe(true);
  return rows.map(({ id }) => id);
}

function hasFile({ folder }: TemporaryTransfers, id: string): boolean {
  return existsSync(folder.at('blobs', '.uploads', id));
}

test('a stream whose writer is dead gives its room back with the next look', async () => {
  await using here = await withWriter();
  const id = await leave(here, '', { ...stream, writer });
  await here.clock.advance(minute);

  await here.transfers.cleanUp();
  const whileAlive = await uploadsIn(here);
  here.machine.isAlive = false;
  await here.transfers.cleanUp();

  expect(whileAlive).toEqual([id]);
  expect(await uploadsIn(here)).toEqual([]);
  expect(hasFile(here, id)).toBe(false);
});

test('a stream from before another start of the machine has no writer any more', async () => {
  await using here = await withWriter();
  await leave(here, '', { ...stream, writer });
  await here.clock.advance(minute);

  here.machine.boot = 'two';
  await here.transfers.cleanUp();

  expect(await uploadsIn(here)).toEqual([]);
});

test('a stream that comes over a connection is left after an hour of silence', async () => {
  await using here = await withWriter();
  const id = await leave(here, '', stream);

  await here.clock.advance(59 * minute);
  await here.transfers.cleanUp();
  const soon = await uploadsIn(here);
  await here.clock.advance(2 * minute);
  await here.transfers.cleanUp();

  expect(soon).toEqual([id]);
  expect(await uploadsIn(here)).toEqual([]);
});

test('a stream that somebody is sending at this moment stays, however long it takes', async () => {
  await using here = await withWriter();
  const begun = await here.begin('samantha', '', { to: ['jared'], ...stream });
  if (begun.state !== 'open') throw new Error('it is new');
  const id = begun.upload;
  const { promise: more, resolve } = Promise.withResolvers<void>();
  const { promise: begins, resolve: began } = Promise.withResolvers<void>();
  async function* source(): AsyncGenerator<Uint8Array, void, void> {
    yield new Uint8Array(5);
    began();
    await more;
  }
  const coming = here.transfers.addBytes('samantha', { id, from: 0, source: source() });
  await begins;

  await here.clock.advance(2 * day);
  await here.transfers.cleanUp();
  const meanwhile = await uploadsIn(here);
  resolve();

  expect(await coming).toBe(5);
  expect(meanwhile).toEqual([id]);
});

test('a file whose writer is dead can be gone on with for a week', async () => {
  await using here = await withWriter();
  const id = await leave(here, text, { writer });
  here.machine.isAlive = false;

  await here.clock.advance(6 * day);
  await here.transfers.cleanUp();
  const kept = await uploadsIn(here);
  await here.clock.advance(2 * day);
  await here.transfers.cleanUp();

  expect(kept).toEqual([id]);
  expect(await uploadsIn(here)).toEqual([]);
});

test('who comes back while it is being ended keeps what was uploaded', async () => {
  await using here = await withWriter();
  const id = await leave(here, text);
  await here.clock.advance(8 * day);
  let comesBack: (() => Promise<unknown>) | undefined = () => leave(here, text);
  here.restart({
    disk: {
      ...realDisk,
      stat: async (path) => {
        const entry = await realDisk.stat(path);
        const back = path.endsWith(id) ? comesBack : undefined;
        if (back !== undefined) {
          comesBack = undefined;
          await back();
        }
        return entry;
      },
    },
  });

  await here.transfers.cleanUp();

  expect(comesBack).toBeUndefined();
  expect(await uploadsIn(here)).toHaveLength(1);
});

test('the same name with other bytes ends what was cut off, and nothing else', async () => {
  await using here = await withWriter();
  const before = await leave(here, text, { writer });
  const others = [
    await leave(here, 'another name', { writer, filename: 'other.md' }),
    await leave(here, 'over a connection'),
    await leave(here, '', { ...stream, writer }),
  ];
  here.machine.isAlive = false;
  const elsewhere = await here.begin('jean', 'of somebody else', { to: ['jared'], writer });
  if (elsewhere.state !== 'open') throw new Error('it is new');

  const now = await leave(here, 'what was found later', { writer: { pid: 8, started: 'now' } });

  expect(await uploadsIn(here)).toEqual([...others, elsewhere.upload, now].sort());
  expect(hasFile(here, before)).toBe(false);
});

test('the same name with other bytes leaves a writer alone that lives', async () => {
  await using here = await withWriter();
  const before = await leave(here, text, { writer });

  const now = await leave(here, 'of another folder', { writer: { pid: 8, started: 'now' } });

  expect(await uploadsIn(here)).toEqual([before, now].sort());
});

test('the same name with other bytes ends what was cut off a moment ago', async () => {
  let isAlive = true;
  const processes = {
    startTimeOf: () => (isAlive ? 'then' : undefined),
    bootId: () => 'boot',
  };
  // The times of files are those of the real clock.
  await using here = await temporaryTransfers({ clock: realClock, deps: { processes } });
  await leave(here, text, { writer });
  isAlive = false;

  const now = await leave(here, 'what was found later', { writer: { pid: 8, started: 'now' } });

  expect(await uploadsIn(here)).toEqual([now]);
});

test('a stream is seen to be left, however many files wait to be gone on with', async () => {
  await using here = await withWriter();
  for (let each = 0; each < 200; each++) {
    await here.begin('jean', `file ${each}`, { to: ['jared'] });
  }
  await here.clock.advance(minute);
  const id = await leave(here, '', { ...stream, writer });
  here.machine.isAlive = false;
  await here.clock.advance(minute);

  await here.transfers.cleanUp();

  expect(hasFile(here, id)).toBe(false);
});

test('a process goes on with its own upload at once', async () => {
  await using here = await withWriter();
  await leave(here, text, { writer });

  const local = { principal: 'samantha', isLocal: true };
  const mine = await here.transfers.begin(local, wishOf(text, { to: ['jared'], writer }));
  const theirs = await here.transfers.begin(local, {
    ...wishOf(text, { to: ['jared'], writer: { pid: 8, started: 'now' } }),
  });

  expect(mine).toMatchObject({ state: 'open', stored_bytes: 5 });
  expect(theirs).toEqual({ state: 'busy' });
});

test('who may not send any more when everything is there leaves no upload', async () => {
  await using here = await temporaryTransfers();
  const [held] = await here.rows<{ id: string }>(
    `select id from grants where principal = 'agent:samantha' and capability like 'transfer:%'`,
  );
  const begun = await here.begin('samantha', text, { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('it is new');
  const bytes = storedOf(text, begun.dek);
  const id = begun.upload;
  await here.transfers.addBytes('samantha', { id, from: 0, source: once(bytes) });
  await here.grants.change((_tx, changes) => changes.revoke(held?.id ?? ''), [held?.id ?? '']);

  const end = { id, storedBytes: bytes.length, sizeBytes: text.length, sha256: sha256(text) };
  const attempt = here.transfers.finish({ principal: 'samantha', isLocal: false }, end);

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.denied' });
  expect(await uploadsIn(here)).toEqual([]);
  expect(hasFile(here, id)).toBe(false);
  expect(await here.rows('select id from agent_transfers')).toEqual([]);
});

test.each([
  ['that says nothing of tries', undefined, 1, 0],
  ['after three tries', 3, 3, 0],
  ['after all four', 4, 4, 1],
])('giving up %s alerts so many', async (_when, attempts, written, alerts) => {
  await using here = await temporaryTransfers();
  const begun = await here.begin('samantha', text, { to: ['jared', 'jean'] });
  if (begun.state !== 'open') throw new Error('it is new');

  const { transfers } = await here.transfers.giveUp('samantha', {
    ...{ id: begun.upload, reason: 'the pipe broke', attempts },
  });

  expect(transfers.map((row) => [row.status, row.attempts])).toEqual([
    ['failed', written],
    ['failed', written],
  ]);
  const told = await here.rows(`select data from events where kind = 'transfer.alert'`);
  expect(told).toHaveLength(alerts);
  expect(here.told.filter(({ to }) => to === 'owner')).toHaveLength(alerts);
});
