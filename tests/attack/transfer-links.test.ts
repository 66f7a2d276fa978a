/** Links for humans, in the hands of somebody else. */
import { describe, expect, test } from 'vitest';
import { sealedSize } from '../../src/blobs/seal/aosb1.ts';
import { send, type TestAnswer } from '../support/temporary-gateway.ts';
import {
  libraryOf,
  type ServedHome,
  sealed,
  sendByHand,
  sha256,
  sharedServedHome,
  storedFiles,
} from '../support/transfer-ends.ts';
import { until } from '../support/until.ts';

const served = sharedServedHome();

const plain = Buffer.from('what is behind the link');

const portOf = ({ daemon }: ServedHome) => Number(new URL(daemon.url).port);
const tokenIn = (path: string) => path.slice('/l/'.length).split('#')[0] ?? '';
const dekIn = (path: string) => Buffer.from(path.split('#')[1] ?? '', 'base64url').toString('hex');

function get(
  home: ServedHome,
  path: string,
  more: { method?: string; headers?: Record<string, string> } = {},
) {
  return send({ at: portOf(home), path, ...more });
}

let count = 0;

interface Linked {
  readonly id: string;
  readonly link: string;
  readonly token: string;
}

async function linked(
  home: ServedHome,
  options: { most_uses?: number; ttl_ms?: number } = {},
): Promise<Linked> {
  const { client } = home.daemon;
  // Other bytes each time: what is stored already is not sent again.
  const bytes = Buffer.from(`${plain} ${count++}`.padEnd(40));
  const { samantha: as, jared } = home.names;
  const id = await sendByHand(client, bytes, { to: [jared], as });
  const made = await client.linkTransfer(id, { as, ...options });
  return { id, link: made.id, token: tokenIn(made.path) };
}

function told({ status, json }: TestAnswer): object {
  const { detail, code, fix } = json as { detail: string; code: string; fix: string };
  return { status, detail, code, fix };
}

describe('a link to fetch', () => {
  test('is answered alike when it never was, is used up, revoked or over', async () => {
    const home = await served();
    const { client } = home.daemon;
    const { samantha: as } = home.names;
    const [usedUp, revoked, over, late] = [
      await linked(home),
      await linked(home),
      await linked(home),
      await linked(home, { ttl_ms: 1000 }),
    ];
    const first = await get(home, `/l/${usedUp.token}/bytes`);
    await client.revokeLink(revoked.link, { as });
    await client.revokeTransfer(over.id, { as });
    await until(async () => expect((await get(home, `/l/${late.token}/facts`)).status).toBe(404));
    const tokens = [usedUp, revoked, over, late].map(({ token }) => token);

    const answers = [];
    for (const token of [...tokens, 'A'.repeat(43), 'x', '%00', "'--", '..']) {
      for (const end of ['facts', 'bytes'])
        answers.push(told(await get(home, `/l/${token}/${end}`)));
    }

    expect(first.status).toBe(200);
    const known = answers.slice(0, 2 * (tokens.length + 1));
    expect(new Set(known.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(known[0]).toMatchObject({ status: 404, code: 'transfer.unknown' });
    expect(answers.map((answer) => ('status' in answer ? answer.status : 0))).toEqual(
      answers.map(() => 404),
    );
  });

  test('gives its last use to one of many who ask at once', async () => {
    const home = await served();
    const { token } = await linked(home, { most_uses: 3 });

    const answers = await Promise.all(
      Array.from({ length: 12 }, () => get(home, `/l/${token}/bytes`)),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(9);
  });

  test('gives nothing for less than a use', async () => {
    const home = await served();
    const { token } = await linked(home, { most_uses: 2 });
    const path = `/l/${token}/bytes`;

    const part = await get(home, path, { headers: { range: 'bytes=0-3' } });
    const tag = { 'if-none-match': '"x"', 'if-range': '"y"', range: 'bytes=1-' };
    const second = await get(home, path, { headers: tag });
    const third = await get(home, path);

    expect([part.status, second.status, third.status]).toEqual([200, 200, 404]);
    expect(part.headers['content-length']).toBe(String(sealedSize(40)));
  });

  test('sends no bytes for HEAD, and facts are no use of it', async () => {
    const home = await served();
    const { token } = await linked(home);

    const facts = await get(home, `/l/${token}/facts`);
    await get(home, `/l/${token}`);
    const head = await get(home, `/l/${token}/bytes`, { method: 'HEAD' });

    expect(facts.json).toMatchObject({ uses_left: 1, filename: 'made.bin' });
    expect(head.text).toBe('');
  });

  test('comes with headers that keep it from leaking, and never shows the key', async () => {
    const home = await served();
    const { token } = await linked(home);

    const answers = [
      await get(home, `/l/${token}`),
      await get(home, `/l/${token}/facts`),
      await get(home, `/l/${token}/bytes`),
    ];

    for (const { headers } of answers) {
      expect(headers['cache-control']).toContain('no-store');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('DENY');
    }
    expect(answers[0]?.headers['content-security-policy']).toMatch(/default-src 'none'/);
    expect(answers[2]?.headers['content-security-policy']).toMatch(/sandbox/);
    expect(answers[2]?.headers['content-disposition']).toMatch(/^attachment/);
    expect(answers[0]?.text).not.toContain('made.bin');
  });

  test('is made by nobody for what is not theirs, and a folder has none', async () => {
    const home = await served();
    const { id, link } = await linked(home);
    const { client } = home.daemon;
    const { samantha, jared, jean } = home.names;
    const list = Buffer.from('AOSF1 0 0\n');
    const folder = await sendByHand(client, list, { to: [jared], kind: 'folder', as: samantha });
    const refusal = (asked: Promise<unknown>) =>
      asked.catch(({ code, message }) => ({ code, message }));

    const made = await refusal(client.linkTransfer(id, { as: jean }));
    const revoked = await refusal(client.revokeLink(link, { as: jean }));
    const nobodys = await refusal(client.revokeLink('0'.repeat(32), { as: jean }));
    const ofFolder = await refusal(client.linkTransfer(folder, { as: samantha }));

    expect(made).toMatchObject({ code: 'transfer.unknown' });
    expect(revoked).toMatchObject({ code: 'transfer.unknown' });
    expect(nobodys).toEqual(revoked);
    expect(ofFolder).toMatchObject({ code: 'transfer.wrong-state' });
    expect(await client.transferLinks({ as: jean })).toEqual({ items: [] });
  });
});

describe('a link to send by', () => {
  async function uploadLink(home: ServedHome, most_bytes = 1000) {
    const { path } = await home.daemon.client.uploadLink({ as: home.names.jared, most_bytes });
    return { token: tokenIn(path), dek: dekIn(path) };
  }

  function post(home: ServedHome, token: string, bytes: Uint8Array, filename = 'from-outside.txt') {
    const query = `filename=${encodeURIComponent(filename)}&sha256=${sha256(plain)}`;
    const headers = { 'content-type': 'application/octet-stream' };
    return send({
      at: portOf(home),
      method: 'POST',
      path: `/l/${token}/bytes?${query}`,
      headers,
      body: bytes,
    });
  }

  test('takes one file, and of many at once one', async () => {
    const home = await served();
    const { token, dek } = await uploadLink(home);
    const bytes = sealed(plain, dek);

    const answers = await Promise.all(Array.from({ length: 6 }, () => post(home, token, bytes)));
    const late = await post(home, token, bytes);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(late.status).toBe(404);
    expect(await libraryOf(home, 'jared').listPending()).toHaveLength(1);
    expect(storedFiles(home)).toHaveLength(1);
  });

  test('refuses what is too large, sealed by nobody or named to do harm, and stays good', async () => {
    const home = await served();
    const { token, dek } = await uploadLink(home);

    const large = await post(home, token, sealed(new Uint8Array(1001), dek));
    const huge = await post(home, token, new Uint8Array(3_000_000)).catch(() => undefined);
    const bare = await post(home, token, plain);
    const other = await post(home, token, sealed(plain, 'ab'.repeat(32)));
    const names = [];
    for (const name of ['../x', '/etc/x', 'a\nb', 'a\0b', '.aos-x', 'x'.repeat(290)]) {
      names.push((await post(home, token, sealed(plain, dek), name)).status);
    }
    const good = await post(home, token, sealed(plain, dek));

    expect([large.status, bare.status, other.status].map((status) => status >= 400)).toEqual([
      true,
      true,
      true,
    ]);
    expect(large.status).toBe(413);
    expect(huge?.status ?? 413).toBe(413);
    expect(told(other)).not.toMatchObject({ code: 'internal.bug' });
    expect(told(bare)).not.toMatchObject({ code: 'internal.bug' });
    expect(names).toEqual(names.map(() => 400));
    expect(good.status, good.text).toBe(200);
    const [pending] = await libraryOf(home, 'jared').listPending();
    const got: Uint8Array[] = [];
    await libraryOf(home, 'jared').downloadTo(
      pending?.id ?? '',
      async (bytes) => void got.push(bytes.slice()),
    );
    expect(Buffer.concat(got).equals(plain)).toBe(true);
    expect(storedFiles(home)).toHaveLength(1);
  });

  test('gives nothing to fetch', async () => {
    const home = await served();
    const { token } = await uploadLink(home);

    const bytes = await get(home, `/l/${token}/bytes`);
    const facts = await get(home, `/l/${token}/facts`);

    expect(bytes.status).toBe(404);
    expect(facts.json).toMatchObject({
      kind: 'upload',
      recipient: home.names.jared,
      most_bytes: 1000,
      filename: null,
    });
  });
});
