import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import { day, temporaryTransfers } from '../../tests/support/temporary-transfers.ts';

const text = 'what was found';

async function sentToJared() {
  const here = await temporaryTransfers();
  const [sent] = await here.send('samantha', text, { to: ['jared'] });
  const id = sent?.id ?? '';
  const settle = (
    principal: string,
    step: 'verified' | 'accepted' | 'rejected' | 'failed' | 'revoked',
  ) =>
    here.transfers.settle(principal, {
      id,
      step,
      reason: step === 'rejected' ? 'too old' : undefined,
    });
  return Object.assign(here, { id, sent, settle });
}

const noMore = { code: 'transfer.over' };

test('stored, announced, fetched, verified, accepted: the sender hears of each that counts', async () => {
  await using here = await sentToJared();

  const opened = await here.transfers.open({ principal: 'jared', isLocal: false }, here.id);
  const verified = await here.settle('jared', 'verified');
  const accepted = await here.settle('jared', 'accepted');

  expect(here.sent?.ack).toBe('announced');
  expect(opened).toMatchObject({ transfer: { ack: 'fetched', status: 'pending' }, local: null });
  expect(verified).toMatchObject({ ack: 'verified', status: 'downloaded' });
  expect(verified.downloaded_at).not.toBeNull();
  expect(accepted).toMatchObject({ ack: 'accepted', status: 'downloaded' });
  expect(here.told.filter(({ to }) => to === 'samantha').map(({ body }) => body)).toEqual([
    'jared has received report.md.\n',
    'jared has accepted report.md.\n',
  ]);
  const kinds = await here.rows<{ kind: string }>(
    `select kind from events where subject = 'transfer:${here.id}' order by seq`,
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(
    ['sent', 'announced', 'fetched', 'verified', 'accepted'].map((what) => `transfer.${what}`),
  );
});

test('what is said twice happens once', async () => {
  await using here = await sentToJared();

  await here.settle('jared', 'verified');
  const again = await here.settle('jared', 'verified');

  expect(again.ack).toBe('verified');
  expect(here.told.filter(({ to }) => to === 'samantha')).toHaveLength(1);
});

test('the owner, whose process is on this machine, is told where the bytes lie', async () => {
  await using here = await sentToJared();

  const opened = await here.transfers.open({ principal: 'jared', isLocal: true }, here.id);

  expect(opened.local).toBe(here.folder.at('blobs', opened.hash.slice(0, 2), opened.hash));
});

test('to anybody but its recipient it is as if there were none', async () => {
  await using here = await sentToJared();
  const actors = ['jean', 'samantha', 'owner'].map((principal) => ({ principal, isLocal: false }));

  const said = await Promise.all([
    ...actors.map((actor) => here.transfers.open(actor, here.id).catch(String)),
    ...actors.map(({ principal }) =>
      here.transfers.bytes(principal, { id: here.id }).catch(String),
    ),
    ...actors.map(({ principal }) => here.settle(principal, 'verified').catch(String)),
    here.settle('jean', 'revoked').catch(String),
    here.settle('jared', 'revoked').catch(String),
    here.transfers.share('jared', { id: here.id, to: ['jean'] }).catch(String),
  ]);
  const missing = await here.transfers
    .open({ principal: 'jean', isLocal: false }, 'ab'.repeat(16))
    .catch((error: unknown) => error);

  const same = `AosError: There is no transfer "${here.id}" of yours`;
  expect(new Set(said)).toEqual(new Set([same]));
  expect(missing).toMatchObject({ code: 'transfer.unknown' });
  expect(await here.rows('select ack from agent_transfers')).toEqual([{ ack: 'announced' }]);
});

test('rejecting says why, and lets the bytes go', async () => {
  await using here = await sentToJared();
  await here.settle('jared', 'verified');

  const rejected = await here.settle('jared', 'rejected');

  expect(rejected).toMatchObject({ ack: 'rejected', status: 'failed', reason: 'too old' });
  expect(here.told.at(-1)).toMatchObject({
    to: 'samantha',
    body: 'jared has rejected report.md: too old\n',
  });
  await expect(here.read('jared', here.id)).rejects.toMatchObject(noMore);
  expect(await here.rows('select hash from blob_references')).toEqual([]);
  expect(existsSync(here.folder.at('transfers', rejected.s3_key))).toBe(false);
});

test('what has not been received can be neither accepted nor rejected', async () => {
  await using here = await sentToJared();

  for (const step of ['accepted', 'rejected'] as const) {
    await expect(here.settle('jared', step)).rejects.toMatchObject({
      code: 'transfer.wrong-state',
    });
  }
});

test('a recipient that could not fetch it ends it, and the owner is told', async () => {
  await using here = await sentToJared();

  const failed = await here.settle('jared', 'failed');

  expect(failed).toMatchObject({ status: 'failed', ack: 'failed', attempts: 4 });
  expect(here.told.map(({ to }) => to)).toEqual(['jared', 'samantha', 'owner']);
  const alerts = await here.rows(`select data from events where kind = 'transfer.alert'`);
  expect(alerts).toEqual([{ data: expect.stringContaining('failed-after-retries') }]);
  await expect(here.read('jared', here.id)).rejects.toMatchObject(noMore);
  await expect(here.settle('jared', 'verified')).rejects.toMatchObject({
    code: 'transfer.wrong-state',
  });
});

test('a sender takes back what it sent, and the recipient cannot fetch it any more', async () => {
  await using here = await sentToJared();

  const revoked = await here.settle('samantha', 'revoked');
  const again = await here.settle('samantha', 'revoked');

  expect(revoked).toMatchObject({ status: 'expired', ack: 'revoked' });
  expect(again).toMatchObject({ ack: 'revoked' });
  await expect(here.read('jared', here.id)).rejects.toMatchObject({
    ...noMore,
    message: expect.stringContaining('was revoked'),
  });
  expect(here.told.at(-1)).toMatchObject({ to: 'jared' });
});

test('shared with somebody else it is the same body, and its own transfer', async () => {
  await using here = await sentToJared();

  const { transfers, saved_bytes } = await here.transfers.share('samantha', {
    ...{ id: here.id, to: ['jean', 'jean'] },
  });

  expect(transfers).toHaveLength(1);
  expect(saved_bytes).toBeGreaterThan(0);
  expect(await here.read('jean', transfers[0]?.id ?? '')).toBe(text);
  expect(await here.rows('select id from transfer_bodies')).toHaveLength(1);
  expect(here.told.filter(({ to }) => to === 'jean')).toHaveLength(1);
});

test('what was revoked is not shared, nor what nobody may send', async () => {
  await using here = await sentToJared();

  await expect(
    here.transfers.share('samantha', { id: here.id, to: ['nobody'] }),
  ).rejects.toMatchObject({ code: 'transfer.no-recipient' });
  await here.settle('samantha', 'revoked');
  await expect(
    here.transfers.share('samantha', { id: here.id, to: ['jean'] }),
  ).rejects.toMatchObject(noMore);
});

test('when its time is over it cannot be fetched, whether anybody has looked or not', async () => {
  await using here = await sentToJared();
  await (here.clock as SimulatedClock).advance(7 * day);

  await expect(here.read('jared', here.id)).rejects.toMatchObject({
    ...noMore,
    message: expect.stringContaining('has expired'),
  });
});
