import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import {
  day,
  once,
  plainOf,
  sha256,
  storedOf,
  temporaryTransfers,
} from '../../tests/support/temporary-transfers.ts';
import { openingOf } from '../blobs/seal/aosb1.ts';

const text = 'what was found';

async function sentToJared() {
  const here = await temporaryTransfers();
  const [sent] = await here.send('samantha', text, { to: ['jared'] });
  return Object.assign(here, { id: sent?.id ?? '' });
}

/** What stands in a link: the token, and the key behind it. */
function partsOf({ path }: { readonly path: string }) {
  const [, token = '', key = ''] = /^\/l\/([\w-]{43})#([\w-]{43})$/.exec(path) ?? [];
  return { token, dek: Buffer.from(key, 'base64url').toString('hex') };
}

async function fetched(here: Awaited<ReturnType<typeof sentToJared>>, token: string) {
  const { stream } = await here.transfers.linkBytes(token);
  return Buffer.concat(await Array.fromAsync(stream));
}

const gone = {
  code: 'transfer.unknown',
  message: 'There is no such link, or it is not good any more',
};

test.each(['samantha', 'jared', 'owner'])(
  'a link of %s opens the file with the key in it',
  async (principal) => {
    await using here = await sentToJared();

    const link = await here.transfers.link(principal, {
      id: here.id,
      ofAll: principal === 'owner',
    });
    const { token, dek } = partsOf(link);
    const facts = await here.transfers.linkFacts(token);
    const bytes = await fetched(here, token);

    expect(facts).toMatchObject({
      ...{ kind: 'download', filename: 'report.md', file_size_bytes: 14, sealed: true },
      ...{ sha256: sha256(text), uses_left: 1, recipient: null },
    });
    expect(() =>
      openingOf(Buffer.from(dek, 'hex'), Buffer.from(facts.header ?? '', 'base64url')),
    ).not.toThrow();
    expect(plainOf(bytes, dek)).toBe(text);
  },
);

test('neither the token nor the key of a link is in the ledger', async () => {
  await using here = await sentToJared();

  const { token, dek } = partsOf(
    await here.transfers.link('samantha', { id: here.id, ofAll: false }),
  );

  const all = JSON.stringify([
    await here.rows('select * from transfer_links'),
    await here.rows('select * from events'),
  ]);
  expect(all).not.toContain(token);
  expect(all).not.toContain(dek);
});

test('a link is good as often as it says and not once more, whoever hurries', async () => {
  await using here = await sentToJared();
  const { token } = partsOf(
    await here.transfers.link('samantha', { id: here.id, ofAll: false, mostUses: 3 }),
  );

  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => fetched(here, token)));

  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expect(here.transfers.linkFacts(token)).rejects.toMatchObject(gone);
});

test('one that is unknown, over, revoked or used up, and one to what is over, answer alike', async () => {
  await using here = await sentToJared();
  const clock = here.clock as SimulatedClock;
  const make = (facts: object) =>
    here.transfers.link('samantha', { id: here.id, ofAll: false, ...facts });
  const used = await make({});
  await fetched(here, partsOf(used).token);
  const revoked = await make({});
  await here.transfers.revokeLink('samantha', revoked.id);
  const late = await make({ ttlMs: 1000 });
  await clock.advance(1000);
  const dead = await make({});
  await here.transfers.settle('samantha', { id: here.id, step: 'revoked' });

  for (const token of [
    ...[used, revoked, late, dead].map((link) => partsOf(link).token),
    'x'.repeat(43),
  ]) {
    await expect(here.transfers.linkFacts(token)).rejects.toMatchObject(gone);
    await expect(here.transfers.linkBytes(token)).rejects.toMatchObject(gone);
  }
});

test('who has nothing to do with a transfer cannot link to it', async () => {
  await using here = await sentToJared();

  await expect(here.transfers.link('jean', { id: here.id, ofAll: false })).rejects.toMatchObject({
    code: 'transfer.unknown',
    message: `There is no transfer "${here.id}" of yours`,
  });
});

test('a link to what is not sealed has no key', async () => {
  await using here = await temporaryTransfers();
  const [sent] = await here.send('samantha', text, { to: ['jared'], sealed: false });

  const { path } = await here.transfers.link('samantha', { id: sent?.id ?? '', ofAll: false });

  expect(path).toMatch(/^\/l\/[\w-]{43}$/);
});

function upload(token: string, bytes: Uint8Array, facts: object = {}) {
  return { token, filename: 'photo.jpg', sha256: sha256(text), source: once(bytes), ...facts };
}

test('what a human sends through an upload link arrives with the agent, once', async () => {
  await using here = await temporaryTransfers();
  const { token, dek } = partsOf(await here.transfers.uploadLink('owner', { recipient: 'jared' }));
  const bytes = storedOf(text, dek, Buffer.alloc(16, 7));

  const facts = await here.transfers.linkFacts(token);
  const came = await here.transfers.takeByLink(upload(token, bytes));

  expect(facts).toMatchObject({
    kind: 'upload',
    recipient: 'jared',
    most_bytes: 100 * 1024 * 1024,
  });
  expect(came).toMatchObject({ recipient: 'jared', file_size_bytes: 14 });
  expect(await here.read('jared', came.id)).toBe(text);
  expect(await here.rows('select sender, filename, kind from agent_transfers')).toEqual([
    { sender: 'owner', filename: 'photo.jpg', kind: 'file' },
  ]);
  expect(here.told).toMatchObject([{ to: 'jared' }]);
  await expect(here.transfers.takeByLink(upload(token, bytes))).rejects.toMatchObject(gone);
  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
  const [shared] = (await here.transfers.share('owner', { id: came.id, to: ['jean'] })).transfers;
  expect(await here.read('jean', shared?.id ?? '')).toBe(text);
});

test('what breaks off leaves the link good, and nothing else', async () => {
  await using here = await temporaryTransfers();
  const { token, dek } = partsOf(await here.transfers.uploadLink('jared', { recipient: 'jared' }));
  const bytes = storedOf(text, dek, Buffer.alloc(16, 7));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 40);
    throw new Error('the browser went away');
  }

  const attempt = here.transfers.takeByLink(upload(token, bytes, { source: broken() }));

  await expect(attempt).rejects.toThrow('the browser went away');
  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
  await here.transfers.takeByLink(upload(token, bytes));
  expect(await here.rows('select id from agent_transfers')).toHaveLength(1);
});

test.each([
  ['more bytes than it takes', 'x'.repeat(2000), 'gateway.too-large'],
  ['bytes sealed with another key', undefined, 'transfer.bad-source'],
])('%s are refused, and the link stays good', async (_what, large, code) => {
  await using here = await temporaryTransfers();
  const { token, dek } = partsOf(
    await here.transfers.uploadLink('jared', { recipient: 'jared', mostBytes: 1000 }),
  );
  const bytes = large === undefined ? storedOf(text, 'aa'.repeat(32)) : storedOf(large, dek);

  await expect(here.transfers.takeByLink(upload(token, bytes))).rejects.toMatchObject({ code });
  await here.transfers.takeByLink(upload(token, storedOf(text, dek)));
});

test('a hostile name does not come in by a link', async () => {
  await using here = await temporaryTransfers();
  const { token, dek } = partsOf(await here.transfers.uploadLink('jared', { recipient: 'jared' }));

  const attempt = here.transfers.takeByLink(
    upload(token, storedOf(text, dek), { filename: '../../etc/passwd' }),
  );

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.bad-name' });
});

test('two at once through one link are one transfer', async () => {
  await using here = await temporaryTransfers();
  const { token, dek } = partsOf(await here.transfers.uploadLink('jared', { recipient: 'jared' }));
  const bytes = storedOf(text, dek);

  const tries = await Promise.allSettled(
    [1, 2].map(() => here.transfers.takeByLink(upload(token, bytes))),
  );

  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await here.rows('select id from agent_transfers')).toHaveLength(1);
});

test('a download link takes no upload, and an upload link has no bytes', async () => {
  await using here = await sentToJared();
  const down = partsOf(await here.transfers.link('samantha', { id: here.id, ofAll: false }));
  const up = partsOf(await here.transfers.uploadLink('jared', { recipient: 'jared' }));

  await expect(
    here.transfers.takeByLink(upload(down.token, new Uint8Array(1))),
  ).rejects.toMatchObject(gone);
  await expect(here.transfers.linkBytes(up.token)).rejects.toMatchObject(gone);
});

test('everybody sees the links that are theirs', async () => {
  await using here = await sentToJared();
  await here.transfers.link('samantha', { id: here.id, ofAll: false, ttlMs: day });
  await here.transfers.uploadLink('owner', { recipient: 'jared' });

  expect(await here.transfers.links('samantha')).toHaveLength(1);
  expect(await here.transfers.links('jared')).toHaveLength(1);
  expect(await here.transfers.links('jean')).toEqual([]);
  expect(await here.transfers.links(undefined)).toHaveLength(2);
});
