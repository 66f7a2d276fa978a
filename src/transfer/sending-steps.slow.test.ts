/** Sending cut off at each of its steps, and sending that many do at once in any order. */
import { existsSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { integerBelow, seededRandom } from '../../tests/sim/random.ts';
import {
  once,
  sha256,
  storedOf,
  type TemporaryTransfers,
  temporaryTransfers,
} from '../../tests/support/temporary-transfers.ts';
import { cases, seeds } from '../../tests/support/tier.ts';
import type { Uploads } from '../blobs/blobs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TransferDeps } from './deps.ts';

const text = 'what was found';

/** Called before and after whatever outlives this process. */
type Boundary = () => Promise<void>;

function withBoundary(deps: TransferDeps, boundary: Boundary): Partial<TransferDeps> {
  const within =
    <Parameters extends unknown[], T>(work: (...parameters: Parameters) => Promise<T>) =>
    async (...parameters: Parameters): Promise<T> => {
      await boundary();
      const result = await work(...parameters);
      await boundary();
      return result;
    };
  const { uploads, ledger, disk, notify } = deps;
  const cutUploads: Uploads = {
    open: within((id) => uploads.open(id)),
    append: within((id, from, source) => uploads.append(id, from, source)),
    finish: within((id, options) => uploads.finish(id, options)),
    move: within((from, to) => uploads.move(from, to)),
    discard: within((id) => uploads.discard(id)),
    list: () => uploads.list(),
  };
  const cutLedger: Ledger = {
    transact: async (work) => {
      await boundary();
      const result = await ledger.transact(work);
      await boundary();
      return result;
    },
    committed: ledger.committed,
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: async () => {},
  };
  return {
    ...{ uploads: cutUploads, ledger: cutLedger, notify: within(notify) },
    disk: {
      ...disk,
      makeFolder: within((path) => disk.makeFolder(path)),
      rename: within((from, to) => disk.rename(from, to)),
    },
  };
}

/** The whole of a sending, as the same command does it each time it is run. */
async function command(here: TemporaryTransfers, filename = 'report.md'): Promise<void> {
  for (;;) {
    const begun = await here.begin('samantha', text, { to: ['jared'], filename });
    if (begun.state === 'stored') return;
    if (begun.state === 'busy') {
      await nextTurn();
      continue;
    }
    const bytes = storedOf(text, begun.dek);
    const id = begun.upload;
    const rest = bytes.subarray(begun.stored_bytes);
    await here.transfers.addBytes('samantha', { id, from: begun.stored_bytes, source: once(rest) });
    const end = { id, storedBytes: bytes.length, sizeBytes: text.length, sha256: sha256(text) };
    await here.transfers.finish({ principal: 'samantha', isLocal: false }, end);
    return;
  }
}

async function expectWhole(here: TemporaryTransfers): Promise<number> {
  const rows = await here.rows<{ id: string; s3_key: string; ack: string }>(
    'select id, s3_key, ack from agent_transfers order by id',
  );
  for (const { id, s3_key, ack } of rows) {
    expect(ack).toBe('announced');
    expect(existsSync(here.folder.at('transfers', s3_key))).toBe(true);
    expect(await here.read('jared', id)).toBe(text);
  }
  expect(here.told.map(({ key }) => key).sort()).toEqual(
    rows.map(({ id }) => `transfer:${id}:arrived`),
  );
  expect(await here.rows('select id from transfer_bodies')).toHaveLength(1);
  expect(await here.rows('select hash from blobs')).toHaveLength(1);
  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
  return rows.length;
}

/** How many boundaries it came to. */
async function cutAt(dieAt: number): Promise<number> {
  await using here = await temporaryTransfers();
  let boundaries = 0;
  const boundary = async (): Promise<void> => {
    boundaries++;
    if (boundaries >= dieAt) throw new Error('killed here');
  };
  here.restart(withBoundary(here.deps, boundary));
  await command(here).catch((failure: unknown) => {
    expect(String(failure)).toContain('killed here');
  });
  const reached = boundaries;

  here.restart();
  await here.transfers.recover();
  // As after another start of the machine for nobody: the row is not touched for long enough.
  await here.ledger.transact((tx) => tx.run('update transfer_uploads set touched_at = 0'));
  await command(here);

  // Who was killed before the answer may have sent it, and cannot know.
  expect(await expectWhole(here)).toBeLessThanOrEqual(2);
  // What is left there has no row, and goes with the next sweep.
  expect(readdirSync(here.folder.at('blobs', '.uploads')).length).toBeLessThanOrEqual(1);
  return reached;
}

test('killed at any step, and run again, it arrives whole: one body, each transfer told once', async () => {
  const all = await cutAt(Number.POSITIVE_INFINITY);
  const places = Array.from({ length: all }, (_, place) => place + 1);

  expect(all).toBeGreaterThan(20);
  for (const dieAt of cases('a sending killed at any step', places, 6)) {
    // It came so far.
    expect(await cutAt(dieAt), `killed at ${dieAt}`).toBeGreaterThanOrEqual(dieAt);
  }
});

test.each(seeds('six who send the same', { fast: 2, full: 5 }))(
  'six who send the same in any order store it once (seed %d)',
  async (seed) => {
    await using here = await temporaryTransfers();
    const random = seededRandom(seed);
    const boundary = async (): Promise<void> => {
      for (let turns = integerBelow(random, 6); turns > 0; turns--) await nextTurn();
    };
    here.restart(withBoundary(here.deps, boundary));

    await Promise.all(Array.from({ length: 6 }, (_, each) => command(here, `report-${each}.md`)));

    expect(await expectWhole(here)).toBe(6);
  },
);
