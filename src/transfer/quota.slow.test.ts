import { expect, test } from 'vitest';
import { once, temporaryTransfers, wishOf } from '../../tests/support/temporary-transfers.ts';

const mib = 1024 * 1024;

test('room is reserved before the first byte, and what is too much is refused in numbers', async () => {
  await using here = await temporaryTransfers({ limits: { quotaBytes: 10_000 } });
  await here.begin('samantha', 'a'.repeat(6000), { to: ['jared'] });

  const attempt = here.begin('samantha', 'b'.repeat(6000), { to: ['jared'] });

  await expect(attempt).rejects.toMatchObject({
    code: 'transfer.quota',
    message: '"samantha" has 3.9 kB of its 10.0 kB left, and 6.1 kB are needed',
    fix: expect.stringContaining('aos transfer revoke'),
  });
  expect((await here.begin('jean', 'b'.repeat(6000), { to: ['jared'] })).state).toBe('open');
});

test('what is revoked or given up makes room again', async () => {
  await using here = await temporaryTransfers({ limits: { quotaBytes: 10_000 } });
  const [sent] = await here.send('samantha', 'a'.repeat(6000), { to: ['jared', 'jean'] });
  const full = () => here.begin('samantha', 'b'.repeat(6000), { to: ['jared'] });
  await expect(full()).rejects.toMatchObject({ code: 'transfer.quota' });

  await here.transfers.settle('samantha', { id: sent?.id ?? '', step: 'revoked' });
  await expect(full()).rejects.toMatchObject({ code: 'transfer.quota' });
  const [other] = await here.rows<{ id: string }>(
    `select id from agent_transfers where recipient = 'jean'`,
  );
  await here.transfers.settle('samantha', { id: other?.id ?? '', step: 'revoked' });
  const begun = await full();
  if (begun.state !== 'open') throw new Error('there is room');
  await here.transfers.giveUp('samantha', { id: begun.upload, reason: 'no' });

  expect((await here.begin('samantha', 'c'.repeat(6000), { to: ['jared'] })).state).toBe('open');
});

test('what nobody knows the size of takes room as it comes, and is stopped in time', async () => {
  await using here = await temporaryTransfers({ limits: { quotaBytes: 65 * mib } });
  const unknown = { to: ['jared'], kind: 'stream', sizeBytes: null, sha256: null } as const;
  const actor = { principal: 'samantha', isLocal: false };
  const begun = await here.transfers.begin(actor, wishOf('', unknown));
  if (begun.state !== 'open') throw new Error('there is room');
  async function* flood(): AsyncGenerator<Uint8Array> {
    for (let part = 0; part < 80; part++) yield new Uint8Array(mib);
  }

  const attempt = here.transfers.addBytes('samantha', {
    ...{ id: begun.upload, from: 0, source: flood() },
  });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.quota' });
});

test('the owner is told once when four fifths are used, and again only after it was less', async () => {
  await using here = await temporaryTransfers({ limits: { quotaBytes: 10_000 } });
  const alerts = () => here.told.filter(({ to }) => to === 'owner').map(({ body }) => body);

  await here.send('samantha', 'a'.repeat(7000), { to: ['jared'] });
  expect(alerts()).toEqual([]);
  const [second] = await here.send('samantha', 'b'.repeat(1200), { to: ['jared'] });
  const [third] = await here.send('samantha', 'c'.repeat(100), { to: ['jared'] });
  expect(alerts()).toEqual(['samantha has used 8.4 kB of the 10.0 kB that it may store.\n']);
  for (const sent of [second, third]) {
    await here.transfers.settle('samantha', { id: sent?.id ?? '', step: 'revoked' });
  }
  await here.send('samantha', 'd'.repeat(1300), { to: ['jared'] });

  // 7.1 kB is not below seven tenths, so that it counts as the same time.
  expect(alerts()).toHaveLength(1);
});

test('bytes behind a broken connection stay, and hold their room', async () => {
  await using here = await temporaryTransfers({ limits: { quotaBytes: 10_000 } });
  const text = 'a'.repeat(6000);
  const begun = await here.begin('samantha', text, { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('there is room');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* once(new Uint8Array(3000));
    throw new Error('the connection broke');
  }

  const attempt = here.transfers.addBytes('samantha', {
    ...{ id: begun.upload, from: 0, source: broken() },
  });

  await expect(attempt).rejects.toThrow('the connection broke');
  expect(await here.deps.uploads.open(begun.upload)).toMatchObject({ sizeBytes: 3000 });
});
