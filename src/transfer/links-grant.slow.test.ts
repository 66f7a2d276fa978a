/** A link is for whoever has it: only who may send to everybody makes one. */
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import {
  day,
  once,
  sha256,
  storedOf,
  temporaryTransfers,
} from '../../tests/support/temporary-transfers.ts';

/** A home in which jared holds these capabilities and no others, and was sent something. */
async function jaredWith(capabilities: readonly string[]) {
  const here = await temporaryTransfers();
  const [sent] = await here.send('samantha', 'what was found', { to: ['jared'] });
  const rows = await here.rows<{ id: string }>(
    `select id from grants where principal = 'agent:jared'`,
  );
  const ids = rows.map(({ id }) => id);
  await here.grants.change(async (_tx, changes) => {
    for (const id of ids) await changes.revoke(id);
    const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
    for (const capability of capabilities) {
      await changes.give({ principal: 'agent:jared', capability, ...facts });
    }
  }, ids);
  const id = sent?.id ?? '';
  return Object.assign(here, {
    sent,
    link: (ttlMs?: number) => here.transfers.link('jared', { id, ttlMs, ofAll: false }),
    uploadLink: () => here.transfers.uploadLink('jared', { recipient: 'jared' }),
  });
}

const denied = { code: 'transfer.denied' };

test.each([
  ['no capability', []],
  ['one for messages', ['message:*:send']],
  ['one for somebody', ['transfer:samantha:send', 'transfer:owner:send']],
])('with %s nobody makes a link, on record', async (_what, capabilities) => {
  await using here = await jaredWith(capabilities);

  await expect(here.link()).rejects.toMatchObject({
    ...denied,
    message: expect.stringContaining('transfer:*:send'),
  });
  await expect(here.uploadLink()).rejects.toMatchObject(denied);

  expect(await here.rows('select id from transfer_links')).toEqual([]);
  expect(await here.rows(`select id from events where kind = 'transfer.link-made'`)).toEqual([]);
  const refusals = { actor: 'agent:jared', subject: 'transfer:*:send' };
  expect(
    await here.rows(`select actor, subject from events where kind = 'capability.denied'`),
  ).toEqual([refusals, refusals]);
});

test('a link is a use of the grant', async () => {
  await using here = await jaredWith(['transfer:*:send{max:2}']);

  await here.link();
  await here.uploadLink();

  await expect(here.link()).rejects.toMatchObject(denied);
  await expect(here.uploadLink()).rejects.toMatchObject(denied);
  expect(await here.rows('select id from transfer_links')).toHaveLength(2);
});

test('a link is for no more bytes than the grant', async () => {
  await using here = await jaredWith(['transfer:*:send{size:13B}']);

  await expect(here.link()).rejects.toMatchObject(denied);
  await expect(here.uploadLink()).rejects.toMatchObject(denied);
  await here.transfers.uploadLink('jared', { recipient: 'jared', mostBytes: 13 });
});

test('what comes slowly by a link is not ended while it comes', async () => {
  await using here = await jaredWith(['transfer:*:send']);
  const { path } = await here.uploadLink();
  const [, token = '', key = ''] = /^\/l\/([\w-]+)#([\w-]+)$/.exec(path) ?? [];
  const bytes = storedOf('slow', Buffer.from(key, 'base64url').toString('hex'));
  async function* source(): AsyncGenerator<Uint8Array, void, void> {
    yield* once(bytes.subarray(0, 70));
    await (here.clock as SimulatedClock).advance(day / 12);
    await here.transfers.cleanUp();
    yield* once(bytes.subarray(70));
  }

  const came = await here.transfers.takeByLink({
    ...{ token, filename: 'slow.txt', sha256: sha256('slow'), source: source() },
  });

  expect(await here.read('jared', came.id)).toBe('slow');
});

test('who was terminated makes no link, whatever it held', async () => {
  await using here = await jaredWith(['transfer:*:send']);
  await here.ledger.transact((tx) =>
    tx.run(`update agents set status = 'terminated' where name = 'jared'`),
  );

  await expect(here.link()).rejects.toMatchObject(denied);
  await expect(here.uploadLink()).rejects.toMatchObject(denied);
});

test('the owner needs no grant, and gives none by a link', async () => {
  await using here = await jaredWith([]);

  await here.transfers.link('owner', { id: here.sent?.id ?? '', ofAll: true });

  await expect(here.link()).rejects.toMatchObject(denied);
});

test('a link is good as long as is asked for, and no longer than what is behind it', async () => {
  await using here = await jaredWith(['transfer:*:send']);
  await (here.clock as SimulatedClock).advance(day);

  const short = await here.link(2 * day);
  const long = await here.link(300 * day);

  expect(short.expires_at).toBe(new Date(here.clock.now() + 2 * day).toISOString());
  expect(long.expires_at).toBe(here.sent?.expires_at);
});
