import { expect, test } from 'vitest';
import { bearer, send, temporaryGateway } from '../../../tests/support/temporary-gateway.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beginRequest } from '../../ledger/security/seen-requests.ts';
import type { Verb } from '../../verbs/verb.ts';
import { routes } from '../contract/contract.ts';

interface Posted {
  readonly at: string | number;
  readonly path: string;
  readonly key: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function post({ at, path, key, body = {}, headers = {} }: Posted) {
  return send({
    ...{ at, path, method: 'POST', body: JSON.stringify(body) },
    headers: { 'idempotency-key': key, ...headers },
  });
}

async function keys(ledger: Ledger): Promise<string[]> {
  const rows = await ledger.committed.all<{ principal: string; key: string }>(
    'select principal, key from idempotent_requests order by principal, key',
  );
  return rows.map(({ principal, key }) => `${principal} ${key}`);
}

const grant = { agent: 'jean', capability: 'file:/data/*:read' };

test('a grant that is sent twice with one key is one grant, answered alike', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');
  const before = (await home.client.grants({})).items.length;
  const ask = () =>
    post({ at: home.ownerSocket, path: '/api/v1/grants', key: 'once', body: grant });

  const first = await ask();
  const again = await ask();

  expect(first.status).toBe(201);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.headers['content-type']).toBe(first.headers['content-type']);
  expect((await home.client.grants({})).items).toHaveLength(before + 1);
});

test('another request with the same key is refused, and the first one stays', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');
  const at = home.ownerSocket;
  await post({ at, path: '/api/v1/grants', key: 'once', body: grant });

  const body = { ...grant, capability: 'file:/other/*:read' };
  const other = await post({ at, path: '/api/v1/grants', key: 'once', body });
  const elsewhere = await post({ at, path: '/api/v1/grants/revoke', key: 'once', body: grant });

  expect(other).toMatchObject({ status: 409, json: { code: 'gateway.key-reused' } });
  expect(elsewhere).toMatchObject({ status: 409, json: { code: 'gateway.key-reused' } });
  expect((await home.client.grants({ agent: 'jean' })).items.at(-1)).toMatchObject({
    capability: grant.capability,
    revoked_at: null,
  });
});

test('a refusal of the route itself is told again, as the problem that it is', async () => {
  await using home = await temporaryGateway();
  const ask = () =>
    post({ at: home.ownerSocket, path: '/api/v1/grants', key: 'once', body: grant });

  const first = await ask();
  await home.client.register('jean');
  const again = await ask();

  expect(first.status).toBe(404);
  expect(again).toMatchObject({ status: 404, text: first.text });
  expect(again.headers['content-type']).toContain('application/problem+json');
  expect(again.headers['idempotency-replayed']).toBe('true');
});

test('what comes before the route does not touch the key', async () => {
  await using home = await temporaryGateway();
  const { handle } = await home.client.register('jean');
  const at = home.agentSocket('jean');
  const path = '/api/v1/grants';

  const nobody = await post({ at, path, key: 'k', body: grant });
  const notOwner = await post({ at, path, key: 'k', body: grant, headers: bearer(handle) });
  const wrong = await post({ at: home.ownerSocket, path, key: 'k', body: { agent: 1 } });
  const good = await post({ at: home.ownerSocket, path, key: 'k', body: grant });

  const statuses = [nobody, notOwner, wrong, good].map(({ status }) => status);
  expect(statuses).toEqual([401, 403, 400, 201]);
  expect(await keys(home.ledger)).toEqual(['owner k']);
});

test('a bug frees the key', async () => {
  let breaks = true;
  await using home = await temporaryGateway({
    usage: async () => ({ items: [], total_bytes: 0 }),
    gc: async () => {
      if (breaks) throw new Error('it broke');
      return { items: [], freed_bytes: 0, failed: [] };
    },
  });
  const ask = () =>
    post({ at: home.ownerSocket, path: '/api/v1/gc', key: 'once', body: { dry_run: true } });

  const broken = await ask();
  breaks = false;
  const whole = await ask();

  expect([broken.status, whole.status]).toEqual([500, 200]);
  expect(whole.headers['idempotency-replayed']).toBeUndefined();
});

test('a second request while the first is under way is told so', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let times = 0;
  await using home = await temporaryGateway({
    gc: async () => {
      times++;
      begin();
      await ended;
      return { items: [], freed_bytes: 0, failed: [] };
    },
  });
  const ask = () =>
    post({ at: home.ownerSocket, path: '/api/v1/gc', key: 'once', body: { dry_run: true } });
  const first = ask();
  await begun;

  const second = await ask();
  end();

  expect(second).toMatchObject({
    status: 409,
    json: { code: 'gateway.key-busy', details: { state: 'running' } },
  });
  expect((await first).status).toBe(200);
  expect(times).toBe(1);
});

test('what a daemon left that died is not done again', async () => {
  await using home = await temporaryGateway();
  const at = home.ownerSocket;
  const ask = () => post({ at, path: '/api/v1/gc', key: 'once', body: { dry_run: true } });
  await ask();
  const row = await home.ledger.committed.get<{ digest: string }>(
    'select digest from idempotent_requests',
  );
  await home.ledger.transact(async (tx) => {
    await tx.run('delete from idempotent_requests');
    const digest = row?.digest ?? '';
    await beginRequest(tx, { principal: 'owner', key: 'once', digest, epoch: 0, at: 1 });
  });

  const again = await ask();

  expect(again).toMatchObject({
    status: 409,
    json: { code: 'gateway.key-busy', details: { state: 'unknown' } },
  });
});

test('an answer with a secret is not kept, and a refusal in its place is', async () => {
  await using home = await temporaryGateway();
  const at = home.ownerSocket;
  const path = '/api/v1/agents';

  const first = await post({ at, path, key: 'jean', body: { name: 'jean' } });
  const again = await post({ at, path, key: 'jean', body: { name: 'jean' } });
  const bad = await post({ at, path, key: 'bad', body: { name: '-' } });
  const badAgain = await post({ at, path, key: 'bad', body: { name: '-' } });

  expect(first.status).toBe(201);
  expect(again).toMatchObject({
    status: 409,
    json: { code: 'gateway.key-reused', details: { state: 'done', status: 201 } },
  });
  expect([bad.status, badAgain.status]).toEqual([400, 400]);
  expect(badAgain.headers['idempotency-replayed']).toBe('true');
  const rows = await home.ledger.committed.all('select * from idempotent_requests');
  expect(JSON.stringify(rows)).not.toContain('aos_');
});

test.each(['', 'x'.repeat(201), 'ä'])('a key like "%s" is refused', async (key) => {
  await using home = await temporaryGateway();

  const answer = await post({ at: home.ownerSocket, path: '/api/v1/shutdown', key });

  expect(answer).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
});

test('a stream takes no key, and says so', async () => {
  await using home = await temporaryGateway();

  const answer = await post({
    ...{ at: home.ownerSocket, path: '/api/v1/attachments', key: 'once' },
    headers: { 'content-type': 'application/octet-stream' },
  });

  expect(answer).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
  expect(answer.text).toContain('takes no Idempotency-Key');
});

test('routes that make sense of a key themselves go on doing so', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');
  const body = { to: 'jean', body: 'hello' };
  const ask = () => post({ at: home.ownerSocket, path: '/api/v1/messages', key: 'once', body });

  const first = await ask();
  const again = await ask();

  expect(first).toMatchObject({ status: 202, json: { state: 'accepted' } });
  expect(again).toMatchObject({ status: 202, json: { state: 'duplicate' } });
  expect(await keys(home.ledger)).toEqual([]);
});

test('what is read has no use for a key, and ignores it', async () => {
  await using home = await temporaryGateway();
  const headers = { 'idempotency-key': 'once' };

  const answer = await send({ at: home.ownerSocket, path: '/api/v1/status', headers });

  expect(answer.status).toBe(200);
  expect(await keys(home.ledger)).toEqual([]);
});

test('an answer that names a key or a way in is marked as secret in the contract', () => {
  const all: readonly (readonly [string, Verb])[] = Object.entries(routes);

  const secret = all.filter(([, route]) => route.secretAnswer === true).map(([name]) => name);

  expect(secret.sort()).toEqual([
    ...['beginUpload', 'buyToken', 'linkTransfer', 'openTransfer', 'register', 'renewHandle'],
    'uploadLink',
  ]);
});
