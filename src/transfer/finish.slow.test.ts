import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  once,
  sha256,
  storedOf,
  temporaryTransfers,
  wishOf,
} from '../../tests/support/temporary-transfers.ts';

const text = 'what was found';

async function uploaded(here: Awaited<ReturnType<typeof temporaryTransfers>>) {
  const begun = await here.begin('samantha', text, { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('it is new');
  const bytes = storedOf(text, begun.dek);
  await here.transfers.addBytes('samantha', { id: begun.upload, from: 0, source: once(bytes) });
  const whole = {
    ...{ id: begun.upload, storedBytes: bytes.length, sizeBytes: text.length },
    sha256: sha256(text),
  };
  const finish = (changed: object) =>
    here.transfers.finish({ principal: 'samantha', isLocal: false }, { ...whole, ...changed });
  return { bytes, finish };
}

test('three recipients have one body and three wraps, and each opens its own', async () => {
  await using here = await temporaryTransfers();

  const sent = await here.send('samantha', text, { to: ['jared', 'jean', 'owner'] });

  expect(await here.rows('select id from transfer_bodies')).toHaveLength(1);
  expect(
    new Set(
      (await here.rows<{ recipient_key: string }>('select recipient_key from agent_transfers')).map(
        (row) => row.recipient_key,
      ),
    ).size,
  ).toBe(3);
  for (const { recipient, id } of sent) expect(await here.read(recipient, id)).toBe(text);
  expect(new Set(sent.map(({ batch }) => batch)).size).toBe(1);
});

test('beside the body there is a manifest without a key, and no upload is left', async () => {
  await using here = await temporaryTransfers();

  const [sent] = await here.send('samantha', text, { to: ['jared'] });

  expect(sent?.s3_key).toMatch(
    /^samantha\/jared\/\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_[0-9a-f]{6}\/report\.md$/,
  );
  const manifest = JSON.parse(
    readFileSync(here.folder.at('transfers', sent?.s3_key ?? ''), 'utf8'),
  );
  expect(manifest).toMatchObject({ id: sent?.id, sender: 'samantha', sha256: sha256(text) });
  expect(Object.keys(manifest).filter((key) => key.includes('key'))).toEqual([]);
  expect(readdirSync(here.folder.at('blobs', '.uploads'))).toEqual([]);
});

test('the stored bytes are not the plain ones, unless that is wanted', async () => {
  await using here = await temporaryTransfers();

  await here.send('samantha', text, { to: ['jared'] });
  await here.send('samantha', text, { to: ['jared'], sealed: false });

  const hashes = await here.rows<{ hash: string; sealed: number }>(
    'select hash, sealed from transfer_bodies order by sealed',
  );
  const stored = hashes.map(({ hash }) =>
    readFileSync(here.folder.at('blobs', hash.slice(0, 2), hash), 'latin1').includes(text),
  );
  expect(stored).toEqual([true, false]);
});

test('the recipient is told once, in one sentence', async () => {
  await using here = await temporaryTransfers();

  const [sent] = await here.send('samantha', text, { to: ['jared'] });
  await here.transfers.recover();

  expect(here.told).toEqual([
    {
      to: 'jared',
      key: `transfer:${sent?.id}:arrived`,
      body: `samantha sent you report.md (14 B). Fetch it: agent-transfer download ${sent?.id}\n`,
      transfer: sent?.id,
    },
  ]);
});

test.each([
  ['fewer bytes than make a whole', { storedBytes: 10 }, 'transfer.wrong-state'],
  ['another size than was announced', { sizeBytes: 3 }, 'transfer.changed'],
  ['another content than was announced', { sha256: sha256('else') }, 'transfer.changed'],
])('%s is not sent', async (_what, changed, code) => {
  await using here = await temporaryTransfers();
  const { finish } = await uploaded(here);

  await expect(finish(changed)).rejects.toMatchObject({ code });
  expect(await here.rows('select id from agent_transfers')).toEqual([]);
});

test('a hash that somebody else than the owner says is not believed', async () => {
  await using here = await temporaryTransfers();
  const { bytes, finish } = await uploaded(here);

  await finish({ hash: 'ab'.repeat(32) });

  expect(await here.rows('select hash from blobs')).toEqual([{ hash: sha256(bytes) }]);
});

test('who is refused at the end keeps what is uploaded, and nothing is sent', async () => {
  await using here = await temporaryTransfers();
  const { finish } = await uploaded(here);
  await here.ledger.transact((tx) =>
    tx.run(`update agents set status = 'terminated' where name = 'jared'`),
  );

  await expect(finish({})).rejects.toMatchObject({ code: 'transfer.no-recipient' });
  expect(await here.rows('select id from transfer_uploads')).toHaveLength(1);
});

test('twenty who send the same at once store it once, and each transfer arrives', async () => {
  await using here = await temporaryTransfers();
  const one = async (number: number): Promise<string> => {
    for (;;) {
      const begun = await here.begin('samantha', text, {
        ...{ to: ['jared'], filename: `report-${number}.md` },
      });
      if (begun.state === 'stored') return begun.transfers[0]?.id ?? '';
      if (begun.state === 'busy') {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      const bytes = storedOf(text, begun.dek);
      const id = begun.upload;
      await here.transfers.addBytes('samantha', { id, from: 0, source: once(bytes) });
      const sent = await here.transfers.finish(
        { principal: 'samantha', isLocal: false },
        { id, storedBytes: bytes.length, sizeBytes: text.length, sha256: sha256(text) },
      );
      return sent.transfers[0]?.id ?? '';
    }
  };

  const ids = await Promise.all(Array.from({ length: 20 }, (_, number) => one(number)));

  expect(new Set(ids).size).toBe(20);
  expect(await here.rows('select id from transfer_bodies')).toHaveLength(1);
  expect(await here.rows('select hash from blobs')).toHaveLength(1);
  const names = await here.rows<{ filename: string }>('select filename from agent_transfers');
  expect(new Set(names.map(({ filename }) => filename)).size).toBe(20);
  for (const id of ids) expect(await here.read('jared', id)).toBe(text);
});

test('two uploads of one content that both end are one body and two transfers', async () => {
  await using here = await temporaryTransfers();
  const first = await uploaded(here);
  // As if both had begun before either was in the ledger.
  const [row] = await here.rows<{ content: string }>('select content from transfer_uploads');
  await here.ledger.transact((tx) => tx.run('update transfer_uploads set content = null'));
  const second = await uploaded(here);
  await here.ledger.transact((tx) =>
    tx.run('update transfer_uploads set content = $1', [row?.content ?? '']),
  );

  const sent = await Promise.all([first.finish({}), second.finish({})]);

  expect(await here.rows('select id from transfer_bodies')).toHaveLength(1);
  const ids = sent.flatMap(({ transfers }) => transfers.map(({ id }) => id));
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(await here.read('jared', id)).toBe(text);
  expect(sent.map(({ saved_bytes }) => saved_bytes > 0).sort()).toEqual([false, true]);
});

test('giving up is written down as failed, frees the room, and tells the owner', async () => {
  await using here = await temporaryTransfers();
  const begun = await here.begin('samantha', text, { to: ['jared', 'jean'] });
  if (begun.state !== 'open') throw new Error('it is new');

  const given = await here.transfers.giveUp('samantha', {
    id: begun.upload,
    reason: 'disk broke',
    attempts: 4,
  });

  expect(
    given.transfers.map(({ status, ack, reason, attempts }) => [status, ack, reason, attempts]),
  ).toEqual([
    ['failed', 'failed', 'disk broke', 4],
    ['failed', 'failed', 'disk broke', 4],
  ]);
  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
  expect(existsSync(here.folder.at('blobs', '.uploads', begun.upload))).toBe(false);
  expect(here.told).toMatchObject([
    { to: 'owner', body: expect.stringContaining('could not send') },
  ]);
});

test('what nobody knew the size of is sent, and its key is another each time', async () => {
  await using here = await temporaryTransfers();
  const unknown = { to: ['jared'], kind: 'stream', sizeBytes: null, sha256: null } as const;
  const deks: (string | null)[] = [];

  for (let time = 0; time < 2; time++) {
    const begun = await here.transfers.begin(
      { principal: 'samantha', isLocal: false },
      wishOf('', unknown),
    );
    if (begun.state !== 'open') throw new Error('it is new');
    deks.push(begun.dek);
    const bytes = storedOf(text, begun.dek);
    const id = begun.upload;
    await here.transfers.addBytes('samantha', { id, from: 0, source: once(bytes) });
    const { transfers } = await here.transfers.finish(
      { principal: 'samantha', isLocal: false },
      { id, storedBytes: bytes.length, sizeBytes: text.length, sha256: sha256(text) },
    );
    expect(transfers[0]).toMatchObject({ file_size_bytes: text.length, kind: 'stream' });
    expect(await here.read('jared', transfers[0]?.id ?? '')).toBe(text);
  }

  expect(deks[0]).not.toBe(deks[1]);
});
