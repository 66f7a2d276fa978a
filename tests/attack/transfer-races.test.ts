/** Many at once, with the same and with different things: one body for what is the same. */

import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentTransfer } from '../../src/app/library/agent-transfer.ts';
import { unwrapKey } from '../../src/blobs/seal/aosb1.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { keysFolder, loadKey } from '../../src/security/identity/key-file.ts';
import type { KeyPair } from '../../src/security/identity/key-pair.ts';
import { waitMs } from '../support/limits.ts';
import { isFull } from '../support/tier.ts';
import {
  libraryOf,
  libraryWithHandle,
  type ServedHome,
  sha256,
  sharedServedHome,
  someBytes,
  storedFiles,
} from '../support/transfer-ends.ts';
import { type TransferHome, transferHome } from '../support/transfer-home.ts';
import { until } from '../support/until.ts';

const served = sharedServedHome();

const sends = Array.from({ length: isFull ? 20 : 6 }, (_, index) => index);

type Place = Pick<TransferHome, 'home' | 'names'>;

/** Of what samantha has sent, as `$sender` in the statement. */
function rowsOf<Row>({ home, names }: Place, sql: string): Row[] {
  using ledger = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  // Only the test knows which columns it asked for.
  return ledger.prepare(sql).all({ sender: names.samantha }) as Row[];
}

const rowsIn = (place: Place, table: string): unknown[] =>
  rowsOf(place, `select id from ${table} where sender = $sender`);

/** Another one, whose programs open it themselves. */
let unserved: TransferHome | undefined;
beforeAll(async () => {
  unserved = await transferHome({ withDaemon: false });
});
afterAll(() => unserved?.[Symbol.asyncDispose]());

function withoutDaemon(): TransferHome {
  if (unserved === undefined) throw new Error('there is no home');
  return unserved;
}

describe.each([
  { how: 'with a daemon', withDaemon: true },
  { how: 'without a daemon', withDaemon: false },
])('$how', ({ withDaemon }) => {
  test('programs that send the same at once store it once, as a transfer each', async () => {
    const home = withDaemon ? await served() : withoutDaemon();
    const plain = someBytes(3_000_000);
    writeFileSync(home.folder.at('same.bin'), plain);

    // Without a daemon each of them opens the home, which takes much longer.
    const some = withDaemon || isFull ? sends : sends.slice(0, 4);

    const sent = await Promise.all(
      some.map(() => home.data('samantha', 'agent-transfer send same.bin --to $jared')),
    );

    expect(new Set(sent.map(({ id }) => id)).size).toBe(some.length);
    expect(storedFiles(home)).toHaveLength(1);
    expect(rowsIn(home, 'transfer_bodies')).toHaveLength(1);
    expect(rowsIn(home, 'agent_transfers')).toHaveLength(some.length);
    expect(rowsIn(home, 'transfer_uploads')).toEqual([]);
    expect(sent.filter(({ saved_bytes: saved }) => saved === 0)).toHaveLength(1);
    const got = await home.data(
      'jared',
      `agent-transfer download ${sent.at(-1)?.['id']} --dest got`,
    );
    expect(readFileSync(String(got['path'])).equals(plain)).toBe(true);
  });
});

test('sendings of the same in one process store it once, as a transfer each', async () => {
  const home = await served();
  const plain = someBytes(2_000_000);
  const library = libraryOf(home, 'samantha');

  const sent = await Promise.all(
    sends.map(() => library.sendBuffer(plain, 'same.bin', { to: home.names.jared })),
  );

  expect(new Set(sent.map(({ id }) => id)).size).toBe(sends.length);
  expect(storedFiles(home)).toHaveLength(1);
  const got = await libraryOf(home, 'jared').download(sent.at(-1)?.id ?? '', {
    dest: home.folder.at('got'),
  });
  expect(readFileSync(got.path).equals(plain)).toBe(true);
});

test('sendings of the same in one process without a daemon store it once', async () => {
  const home = withoutDaemon();
  const before = storedFiles(home);
  const plain = someBytes(200_000);
  const library = new AgentTransfer({ sender: 'jean', home: home.home });

  const sent = await Promise.all(
    sends.slice(0, 4).map(() => library.sendBuffer(plain, 'same.bin', { to: home.names.jared })),
  );

  expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
  expect(storedFiles({ ...home, earlier: before })).toHaveLength(1);
});

test('an agent that sends the same many times at once over its socket stores it once', async () => {
  const home = await served();
  const plain = someBytes(500_000);
  const library = libraryWithHandle(home, 'samantha');

  const sent = await Promise.all(
    sends.map(() => library.sendBuffer(plain, 'same.bin', { to: home.names.jared })),
  );

  expect(new Set(sent.map(({ id }) => id)).size).toBe(sends.length);
  expect(storedFiles(home)).toHaveLength(1);
});

test('different things that are sent at once arrive each as what it is', async () => {
  const home = await served();
  const library = libraryOf(home, 'samantha');
  const plains = sends.map((index) => someBytes(100_000 * (index % 5) + index));

  const sent = await Promise.all(
    plains.map((plain, index) =>
      library.sendBuffer(plain, `${index}.bin`, { to: home.names.jared }),
    ),
  );
  const dest = home.folder.at('got');
  const jared = libraryOf(home, 'jared');
  const got = await Promise.all(sent.map(({ id }) => jared.download(id, { dest })));

  expect(got.map(({ path }) => sha256(readFileSync(path)))).toEqual(plains.map(sha256));
});

test('what is fetched twice at once in one process is whole when it has its name', async () => {
  const home = await served();
  const plain = someBytes(isFull ? 24_000_000 : 8_000_000);
  const { id } = await libraryOf(home, 'samantha').sendBuffer(plain, 'twice.bin', {
    to: home.names.jared,
  });
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
  const home = await served();
  const to = Object.values(home.names);
  await libraryOf(home, 'samantha').sendBuffer(someBytes(1000), 'for-all.bin', { to });

  const rows = rowsOf<Wrapped>(
    home,
    `select t.recipient, t.recipient_key, t.body, b.hash from agent_transfers t
     join transfer_bodies b on b.id = t.body where t.sender = $sender`,
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
  const home = await served();
  const plain = someBytes(70_000);
  const sent = await libraryOf(home, 'samantha').sendBuffer(plain, 'later.bin', {
    to: home.names.jared,
  });
  const before = storedFiles(home);

  const shared = await home.data('samantha', `agent-transfer share ${sent.id} --to $jean`);

  expect(storedFiles(home)).toEqual(before);
  expect(rowsIn(home, 'transfer_bodies')).toHaveLength(1);
  const got = await home.data('jean', 'agent-transfer download-all --dest got');
  expect(got['downloaded']).toHaveLength(1);
  expect(readFileSync(home.folder.at('got', 'later.bin')).equals(plain)).toBe(true);
  expect(JSON.stringify(shared)).toContain('"saved_bytes":70');
});

test('who sends slowly does not write into what the same process has stored meanwhile', async () => {
  const home = await served();
  const plain = someBytes(1_200_000);
  const library = libraryOf(home, 'samantha');
  const { jared: to } = home.names;
  // The second stretch comes after the time in which the daemon takes a sender to have given up.
  // That is five seconds, which `npm test` does not wait for: it puts back when the first came.
  const limitBytesPerSecond = isFull ? 180_000 : 600_000;

  const first = library.sendBuffer(plain, 'slow.bin', { to, limitBytesPerSecond });
  const upload = await until(() => firstStretch(home));
  if (!isFull) putBack(home, upload);
  const second = library.sendBuffer(plain, 'quick.bin', { to });
  await Promise.allSettled([first, second]);

  expect(storedFiles(home)).toHaveLength(1);
  expect(await home.daemon.client.verifyBlobs()).toMatchObject({ corrupt: [], missing: [] });
  const { id } = await second;
  const dest = home.folder.at('got');
  const { path } = await libraryWithHandle(home, 'jared').download(id, { dest });
  expect(readFileSync(path).equals(plain)).toBe(true);
});

interface UploadFile {
  readonly id: string;
  readonly path: string;
}

/** The upload that samantha has begun, once its first stretch is there. */
function firstStretch(home: ServedHome): UploadFile {
  const [row] = rowsOf<{ id: string }>(
    home,
    'select id from transfer_uploads where sender = $sender',
  );
  const path = join(home.home, 'blobs', '.uploads', row?.id ?? 'none yet');
  expect(statSync(path).size).toBeGreaterThan(1_000_000);
  return { id: row?.id ?? '', path };
}

function putBack({ home }: ServedHome, { id, path }: UploadFile): void {
  const past = Date.now() - 10_000;
  utimesSync(path, past / 1000, past / 1000);
  using ledger = new DatabaseSync(join(home, 'ledger.db'), { timeout: waitMs });
  ledger.prepare('update transfer_uploads set touched_at = ? where id = ?').run(past, id);
}
