/** What outsiders ask for of operations, in ways that nobody should. */
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { tokenMs } from '../../src/kernel/agent/operation.ts';
import {
  beginReady,
  Grantee,
  type GranteeAnswer,
  type GranteeRequest,
} from '../support/grantee.ts';
import {
  good,
  type OutsiderHome,
  outsiderHome,
  type WireOperation,
} from '../support/outsider-home.ts';
import { send, temporaryGateway } from '../support/temporary-gateway.ts';
import { untilTrue } from '../support/until.ts';

let home: OutsiderHome;

beforeAll(async () => {
  home = await outsiderHome();
  for (const name of ['one', 'two']) home.template(name, [{ say: 'done' }]);
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

async function outsider(capability?: string): Promise<Grantee> {
  const grantee = new Grantee();
  await home.grant(grantee, capability);
  return grantee;
}

const submitting = (body: unknown, key?: string): GranteeRequest => ({
  ...{ method: 'POST', uri: '/api/v1/operations', body },
  headers: key === undefined ? {} : { 'idempotency-key': key },
});

// What is wrong with it is told by its code.
const codeOf = ({ status, text }: GranteeAnswer): string =>
  `${status} ${(JSON.parse(text) as { readonly code: string }).code}`;

test('a list goes on over those that are not shown any more', async () => {
  const erin = await outsider('operation:two:start');
  const grant = await home.grant(erin, 'operation:one:start');
  const made: WireOperation[] = [];
  for (const template of ['one', 'two', 'one', 'one', 'two', 'one']) {
    made.push(await home.run(erin, template));
  }
  await home.daemon.client.revoke(grant);

  const listed: string[] = [];
  let pages = 0;
  for (let before = ''; ; ) {
    const uri = `/api/v1/operations?limit=1${before}`;
    const page = good<{ items: WireOperation[]; next: string | null }>(
      await erin.call(home.base, { uri }),
      200,
    );
    listed.push(...page.items.map(({ id }) => id));
    pages++;
    if (page.next === null) break;
    before = `&before=${page.next}`;
  }

  expect(listed).toEqual([made[4]?.id, made[1]?.id]);
  expect(pages).toBeLessThanOrEqual(made.length + 1);
});

test('a key is one request, and is no way around a grant that was revoked', async () => {
  const erin = new Grantee();
  const bob = await outsider();
  const grant = await home.grant(erin);
  const body = { goal: 'write', agent: 'one' };
  const ask = (who: Grantee, order: object) => who.call(home.base, submitting(order, 'key-1'));

  const first = good<WireOperation>(await ask(erin, body), 201);
  const again = good<WireOperation>(await ask(erin, body), 201);
  const other = await ask(erin, { ...body, goal: 'write more' });
  const others = good<WireOperation>(await ask(bob, body), 201);
  await home.settled(erin, first.id);
  await home.daemon.client.revoke(grant);
  const late = await ask(erin, body);

  expect(again.id).toBe(first.id);
  expect(codeOf(other)).toBe('409 gateway.key-reused');
  expect(others.id).not.toBe(first.id);
  expect(codeOf(late)).toBe('403 capability.denied');
});

test('twenty at once under one key are one operation', async () => {
  const erin = await outsider();
  const body = { goal: 'write', agent: 'one' };

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => erin.call(home.base, submitting(body, 'key-2'))),
  );

  const ids = answers.filter(({ status }) => status === 201).map(({ text }) => JSON.parse(text).id);
  expect(new Set(ids).size).toBe(1);
  const refused = answers.filter(({ status }) => status !== 201).map(codeOf);
  expect(refused.filter((code) => code !== '409 gateway.key-busy')).toEqual([]);
  const uri = '/api/v1/operations';
  const { items } = good<{ items: unknown[] }>(await erin.call(home.base, { uri }), 200);
  expect(items).toHaveLength(1);
});

test.each([
  ['a body over a megabyte', { goal: 'x'.repeat(1_100_000) }, '413 gateway.too-large'],
  ['half a character', '{"goal":"a\\ud800b","agent":"one"}', '400 operation.bad-goal'],
  ['a NUL', '{"goal":"a\\u0000b","agent":"one"}', '400 operation.bad-goal'],
  ['no words', { goal: ' \n', agent: 'one' }, '400 operation.bad-goal'],
  ['no goal', { agent: 'one' }, '400 gateway.bad-request'],
  ['a field that is none', { goal: 'x', agent: 'one', owner: 'owner' }, '400 gateway.bad-request'],
  ['a template that is none', { goal: 'x', agent: 'three' }, '404 operation.no-agent'],
  [
    'an operation for somebody else',
    { goal: 'x', agent: 'one', grantee_address: new Grantee().address },
    '403 gateway.owner-only',
  ],
])('%s is refused, whoever signs it', async (_what, body, code) => {
  const erin = await outsider();

  expect(codeOf(await erin.call(home.base, submitting(body)))).toBe(code);
});

test('what is not granted is not said to be there', async () => {
  const erin = await outsider('operation:one:start');
  const ask = (agent: string) => erin.call(home.base, submitting({ goal: 'x', agent }));

  const [there, nowhere] = [await ask('two'), await ask('three')];

  expect(codeOf(there)).toBe('403 capability.denied');
  expect(codeOf(nowhere)).toBe('403 capability.denied');
});

test('a weak signature is none on the socket of an agent', async () => {
  const erin = await outsider();
  const { id } = await home.run(erin, 'one');
  await home.daemon.client.register('guest');
  const signature = await erin.signText(JSON.stringify({ operation_id: id }));
  const at = join(dirname(home.daemon.socket), 'agents', 'guest.sock');

  const answer = await send({
    ...{ at, path: `/api/v1/operations/${id}/artifacts`, headers: { signature } },
  });

  expect(answer.status).toBe(401);
});

test('a stream that was signed for ends after a quarter of an hour', async () => {
  let aheadMs = 0;
  const clock = {
    ...realClock,
    now: () => realClock.now() + aheadMs,
    monotonicMs: () => realClock.monotonicMs() + aheadMs,
  };
  const limits = { heartbeatMs: 20, pollMs: 20 };
  await using gateway = await temporaryGateway({ clock, limits });
  const port = await gateway.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  const erin = new Grantee();
  await gateway.client.grant({ agent: erin.address, capability: 'operation:*:start' });
  const response = await beginReady(base, await erin.sign(base, { uri: '/api/v1/events' }));
  let isOver = false;
  response.on('close', () => {
    isOver = true;
  });
  response.on('error', () => {});
  response.resume();

  aheadMs = tokenMs - 5000;
  await gateway.record('test.event', ['a']);
  await realClock.sleep(100);
  const early = isOver;
  aheadMs = tokenMs + 5000;
  await gateway.record('test.event', ['b']);
  await untilTrue(() => isOver);

  expect(response.statusCode).toBe(200);
  expect(early).toBe(false);
});
