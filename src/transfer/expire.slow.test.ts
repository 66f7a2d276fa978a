import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import { day, storedOf, temporaryTransfers } from '../../tests/support/temporary-transfers.ts';

const text = 'what was found';
const storedBytes = storedOf(text, 'aa'.repeat(32)).length;

test('what nobody fetched in time expires, its body is let go, its sender told once', async () => {
  await using here = await temporaryTransfers();
  const clock = here.clock as SimulatedClock;
  const [sent] = await here.send('samantha', text, { to: ['jared'] });

  await clock.advance(7 * day - 1);
  const early = await here.transfers.cleanUp();
  await clock.advance(1);
  const looked = await here.transfers.cleanUp({ dryRun: true });
  const done = await here.transfers.cleanUp();
  const again = await here.transfers.cleanUp();

  expect(early).toEqual({ expired: 0, freed_bytes: 0 });
  expect(looked).toEqual({ expired: 1, freed_bytes: storedBytes });
  expect(done).toEqual(looked);
  expect(again).toEqual(early);
  expect(await here.rows('select status, ack from agent_transfers')).toEqual([
    { status: 'expired', ack: 'announced' },
  ]);
  expect(await here.rows('select hash from blob_references')).toEqual([]);
  expect(existsSync(here.folder.at('transfers', sent?.s3_key ?? ''))).toBe(false);
  expect(here.told.at(-1)?.body).toBe('jared has not fetched report.md in time: it has expired.\n');
});

test('what was fetched stays downloaded, and its body is let go', async () => {
  await using here = await temporaryTransfers();
  const [sent] = await here.send('samantha', text, { to: ['jared'], expiresMs: 1000 });
  await here.transfers.settle('jared', { id: sent?.id ?? '', step: 'verified' });

  await (here.clock as SimulatedClock).advance(1000);
  const done = await here.transfers.cleanUp();

  expect(done).toEqual({ expired: 1, freed_bytes: storedBytes });
  expect(await here.rows('select status from agent_transfers')).toEqual([{ status: 'downloaded' }]);
  expect(here.told.filter(({ key }) => key.endsWith(':expired'))).toEqual([]);
});

test('a body stays as long as one of its transfers needs it', async () => {
  await using here = await temporaryTransfers();
  await here.send('samantha', text, { to: ['jared'], expiresMs: 1000 });
  const [later] = await here.send('samantha', text, { to: ['jean'], expiresMs: 5000 });

  await (here.clock as SimulatedClock).advance(1000);
  const done = await here.transfers.cleanUp();

  expect(done).toEqual({ expired: 1, freed_bytes: 0 });
  expect(await here.read('jean', later?.id ?? '')).toBe(text);
});

test('an agent cleans up its own, and leaves what is others’', async () => {
  await using here = await temporaryTransfers();
  await here.send('samantha', text, { to: ['jared'], expiresMs: 1000 });
  await here.send('samantha', text, { to: ['jean'], expiresMs: 1000 });
  await (here.clock as SimulatedClock).advance(1000);

  expect(await here.transfers.cleanUp({ principal: 'jean' })).toMatchObject({ expired: 1 });
  expect(await here.transfers.cleanUp({ principal: 'samantha' })).toMatchObject({ expired: 1 });
});

test('rows are kept as long as events are, and then go with what they leave', async () => {
  await using here = await temporaryTransfers();
  const clock = here.clock as SimulatedClock;
  await here.send('samantha', text, { to: ['jared'], expiresMs: 1000 });
  await clock.advance(1000);
  await here.transfers.cleanUp();
  await here.send('samantha', 'another', { to: ['jared'], expiresMs: 300 * day });

  await here.transfers.prune(clock.now() - 90 * day);
  const kept = await here.rows('select id from agent_transfers');
  await clock.advance(100 * day);
  await here.transfers.prune(clock.now() - 90 * day);

  expect(kept).toHaveLength(2);
  expect(await here.rows('select status from agent_transfers')).toEqual([{ status: 'pending' }]);
});

test('an upload that nobody went on with for a week ends, and its room is free', async () => {
  await using here = await temporaryTransfers();
  const begun = await here.begin('samantha', text, { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('it is new');

  await (here.clock as SimulatedClock).advance(8 * day);
  await here.transfers.cleanUp();

  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
  expect(existsSync(here.folder.at('blobs', '.uploads', begun.upload))).toBe(false);
});
