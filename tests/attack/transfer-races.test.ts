/** Many at once, with the same and with different things: one body for what is the same. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { AgentTransfer } from '../../src/app/agent-transfer.ts';
import { realDisk } from '../../src/app/engines/disk.ts';
import { unwrapKey } from '../../src/blobs/seal/keys.ts';
import { loadKey } from '../../src/security/identity/key-file.ts';
import type { KeyPair } from '../../src/security/identity/key-pair.ts';
import { keysFolder } from '../../src/security/identity/principal.ts';
import { libraryOf, servedHome, sha256, someBytes, storedFiles } from '../support/transfer-ends.ts';
import { transferHome } from '../support/transfer-home.ts';

const sends = Array.from({ length: 20 }, (_, index) => index);

function rowsOf<Row>(home: string, sql: string): Row[] {
  using ledger = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  // Only the test knows which columns it asked for.
  return ledger.prepare(sql).all() as Row[];
}

describe.each([
  { how: 'with a daemon', withDaemon: true },
  { how: 'without a daemon', withDaemon: false },
])('$how', ({ withDaemon }) => {
  test('20 programs that send the same at once store it once, as 20 transfers', async () => {
    await using home = await transferHome({ withDaemon });
    const plain = someBytes(3_000_000);
    writeFileSync(home.folder.at('same.bin'), plain);

    const sent = await Promise.all(
      sends.map(() => home.data('samantha', 'agent-transfer send same.bin --to jared')),
    );

    expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
    expect(storedFiles(home)).toHaveLength(1);
    expect(rowsOf(home.home, 'select id from transfer_bodies')).toHaveLength(1);
    expect(rowsOf(home.home, 'select id from agent_transfers')).toHaveLength(20);
    expect(rowsOf(home.home, 'select id from transfer_uploads')).toEqual([]);
    expect(sent.filter(({ saved_bytes: saved }) => saved === 0)).toHaveLength(1);
    const got = await home.data('jared', `agent-transfer download ${sent[7]?.['id']} --dest got`);
    expect(readFileSync(String(got['path'])).equals(plain)).toBe(true);
  });
});

test('20 sendings of the same in one process store it once, as 20 transfers', async () => {
  await using home = await servedHome();
  const plain = someBytes(2_000_000);
  const library = libraryOf(home, 'samantha');

  const sent = await Promise.all(
    sends.map(() => library.sendBuffer(plain, 'same.bin', { to: 'jared' })),
  );

  expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
  expect(storedFiles(home)).toHaveLength(1);
  const got = await libraryOf(home, 'jared').download(sent[19]?.id ?? '', {
    dest: home.folder.at('got'),
  });
  expect(readFileSync(got.path).equals(plain)).toBe(true);
});

test('sendings of the same in one process without a daemon store it once', async () => {
  await using home = await transferHome({ withDaemon: false });
  const plain = someBytes(200_000);
  const library = new AgentTransfer({ sender: 'samantha', home: home.home });

  const sent = await Promise.all(
    sends.slice(0, 5).map(() => library.sendBuffer(plain, 'same.bin', { to: 'jared' })),
  );

  expect(new Set(sent.map(({ id }) => id)).size).toBe(5);
  expect(storedFiles(home)).toHaveLength(1);
});

test('an agent that sends the same 20 times at once over its socket stores it once', async () => {
  await using home = await servedHome();
  const plain = someBytes(500_000);
  const { AOS_SOCKET: socket, AOS_HANDLE: handle } = home.withHandle('samantha');
  const library = new AgentTransfer({ socket, handle });

  const sent = await Promise.all(
    sends.map(() => library.sendBuffer(plain, 'same.bin', { to: 'jared' })),
  );

  expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
  expect(storedFiles(home)).toHaveLength(1);
});

test('different things that are sent at once arrive each as what it is', async () => {
  await using home = await servedHome();
  const library = libraryOf(home, 'samantha');
  const plains = sends.map((index) => someBytes(100_000 * (index % 5) + index));

  const sent = await Promise.all(
    plains.map((plain, index) => library.sendBuffer(plain, `${index}.bin`, { to: 'jared' })),
  );
  const dest = home.folder.at('got');
  const jared = libraryOf(home, 'jared');
  const got = await Promise.all(sent.map(({ id }) => jared.download(id, { dest })));

  expect(got.map(({ path }) => sha256(readFileSync(path)))).toEqual(plains.map(sha256));
});

test('what is fetched twice at once in one process is whole when it has its name', async () => {
  await using home = await servedHome();
  const plain = someBytes(24_000_000);
  const { id } = await libraryOf(home, 'samantha').sendBuffer(plain, 'twice.bin', { to: 'jared' });
  const jared = libraryOf(home, 'jared');
  const dest = home.folder.at('got');
  const fetchOne = async () => {
    const { path } = await jared.download(id, { dest });
    return sha256(readFileSync(path));
  };

  const ends = await Promise.allSettled([fetchOne(), fetchOne(), fetchOne()]);

  const whole = ends.filter(({ status }) => status === 'fulfilled');
  expect(whole.length).toBeGreaterThan(0);
  expect(whole).toEqual(whole.map(() => ({ status: 'fulfilled', value: sha256(plain) })));
  for (const end of ends) {
    if (end.status === 'rejected') expect(end.reason.code).toMatch(/^transfer\.(?:busy|exists)$/);
  }
});

interface Wrapped {
  readonly recipient: string;
  readonly recipient_key: string;
  readonly body: string;
  readonly hash: string;
}

test('three recipients have one body and three wraps, each for its own key only', async () => {
  await using home = await servedHome();
  const to = ['jared', 'jean', 'samantha'];
  await libraryOf(home, 'samantha').sendBuffer(someBytes(1000), 'for-all.bin', { to });

  const rows = rowsOf<Wrapped>(
    home.home,
    'select t.recipient, t.recipient_key, t.body, b.hash from agent_transfers t join transfer_bodies b on b.id = t.body',
  );

  expect(storedFiles(home)).toHaveLength(1);
  expect(new Set(rows.map(({ body }) => body)).size).toBe(1);
  expect(new Set(rows.map(({ recipient_key: key }) => key)).size).toBe(3);
  const flat: string[] = [];
  for (const name of to) {
    const key = await loadKey(realDisk, keysFolder(home.home), `agent:${name}`);
    if (key === undefined) throw new Error(`${name} has no key`);
    flat.push(...rows.map((row) => `${name === row.recipient} ${openedWith(key, row)}`));
  }
  expect(flat.filter((text) => text === 'false refused')).toHaveLength(6);
  const deks = flat.filter((text) => text.startsWith('true '));
  expect(new Set(deks).size).toBe(1);
  expect(deks[0]).toMatch(/^true [0-9a-f]{64}$/);
});

function openedWith(key: KeyPair, { recipient_key: wrap, body: object }: Wrapped): string {
  try {
    return Buffer.from(unwrapKey(wrap, { ...key, object })).toString('hex');
  } catch {
    return 'refused';
  }
}

test('share stores nothing again, and whoever gets it can open it', async () => {
  await using home = await servedHome();
  const plain = someBytes(70_000);
  const sent = await libraryOf(home, 'samantha').sendBuffer(plain, 'later.bin', { to: 'jared' });
  const before = storedFiles(home);

  const shared = await home.data('samantha', `agent-transfer share ${sent.id} --to jean`);

  expect(storedFiles(home)).toEqual(before);
  expect(rowsOf(home.home, 'select id from transfer_bodies')).toHaveLength(1);
  const got = await home.data('jean', 'agent-transfer download-all --dest got');
  expect(got['downloaded']).toHaveLength(1);
  expect(readFileSync(home.folder.at('got', 'later.bin')).equals(plain)).toBe(true);
  expect(JSON.stringify(shared)).toContain('"saved_bytes":70');
});
