import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import {
  once,
  sha256,
  storedOf,
  temporaryTransfers,
  wishOf,
} from '../../tests/support/temporary-transfers.ts';

const text = 'what was found';

test('what was stored before is sent at once, and saves its bytes', async () => {
  await using here = await temporaryTransfers();
  const [first] = await here.send('samantha', text, { to: ['jared'] });

  const again = await here.begin('samantha', text, { to: ['jean', 'jared'] });

  expect(again).toMatchObject({
    state: 'stored',
    saved_bytes: storedOf(text, 'aa'.repeat(32)).length,
  });
  expect(first).toMatchObject({ saved_bytes: 0, ack: 'announced', sealed: true });
  expect(await here.rows('select hash from transfer_bodies')).toHaveLength(1);
  if (again.state !== 'stored') throw new Error('it was stored');
  expect(
    await Promise.all(again.transfers.map((each) => here.read(each.recipient, each.id))),
  ).toEqual([text, text]);
});

test('what somebody else has stored is not found, so that nobody learns of it', async () => {
  await using here = await temporaryTransfers();
  await here.send('samantha', text, { to: ['jared'] });

  const other = await here.begin('jean', text, { to: ['jared'] });
  const plain = await here.begin('samantha', text, { to: ['jared'], sealed: false });

  expect(other.state).toBe('open');
  expect(plain).toMatchObject({ state: 'open', dek: null });
});

test('the same content has the same key, other content another, other senders others', async () => {
  await using here = await temporaryTransfers();
  const clock = here.clock as SimulatedClock;
  const dekOf = async (sender: string, what: string) => {
    const begun = await here.begin(sender, what, { to: ['jared'] });
    await clock.advance(6000);
    return begun.state === 'open' ? begun.dek : undefined;
  };

  const deks = [
    await dekOf('samantha', text),
    await dekOf('samantha', text),
    await dekOf('samantha', `${text}.`),
    await dekOf('jean', text),
  ];

  expect(deks[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(deks[1]).toBe(deks[0]);
  expect(new Set(deks).size).toBe(3);
});

test('who sends the same while somebody does is told to wait, and goes on once that has ended', async () => {
  await using here = await temporaryTransfers();
  const clock = here.clock as SimulatedClock;
  const first = await here.begin('samantha', text, { to: ['jared'] });
  if (first.state !== 'open') throw new Error('it is new');
  const bytes = storedOf(text, first.dek);
  await here.transfers.addBytes('samantha', {
    ...{ id: first.upload, from: 0, source: once(bytes.subarray(0, 20)) },
  });

  const soon = await here.begin('samantha', text, { to: ['jean'] });
  await clock.advance(Date.now());
  const later = await here.begin('samantha', text, { to: ['jean'] });

  expect(soon).toEqual({ state: 'busy' });
  expect(later).toMatchObject({ state: 'open', stored_bytes: 20 });
});

test('a process that lives is waited for, and one that is gone is not', async () => {
  let alive = true;
  const processes = {
    startTimeOf: (pid: number) => (pid === 7 && alive ? 'then' : undefined),
    bootId: () => 'boot',
  };
  await using here = await temporaryTransfers({ deps: { processes } });
  const local = { principal: 'samantha', isLocal: true };
  const wish = wishOf(text, { to: ['jared'] });
  const mine = { ...wish, writer: { pid: 7, started: 'then' } };
  const theirs = { ...wish, writer: { pid: 8, started: 'later' } };
  const begun = await here.transfers.begin(local, mine);

  const soon = await here.transfers.begin(local, theirs);
  alive = false;
  const later = await here.transfers.begin(local, theirs);

  expect(begun).toMatchObject({
    state: 'open',
    local: expect.stringContaining('/blobs/.uploads/'),
  });
  expect(soon).toEqual({ state: 'busy' });
  expect(later).toMatchObject({ state: 'open', stored_bytes: 0 });
});

test('bytes from before another start of the machine are not trusted', async () => {
  let bootId: string | undefined = 'one';
  const processes = { startTimeOf: () => undefined, bootId: () => bootId };
  await using here = await temporaryTransfers({ deps: { processes } });
  const first = await here.begin('samantha', text, { to: ['jared'] });
  if (first.state !== 'open') throw new Error('it is new');
  await here.transfers.addBytes('samantha', {
    ...{ id: first.upload, from: 0, source: once(new Uint8Array(20)) },
  });

  bootId = 'two';
  const second = await here.begin('samantha', text, { to: ['jared'] });

  expect(second).toMatchObject({ state: 'open', stored_bytes: 0 });
});

test('nobody but the owner on this machine is told where the bytes lie', async () => {
  await using here = await temporaryTransfers();

  expect(await here.begin('samantha', text, { to: ['jared'] })).toMatchObject({ local: null });
});

test('all who are not there are named, with a guess', async () => {
  await using here = await temporaryTransfers();

  const attempt = here.begin('samantha', text, { to: ['jarde', 'nobody', 'jean'] });

  await expect(attempt).rejects.toMatchObject({
    code: 'transfer.no-recipient',
    message: 'Nobody is registered as "jarde", "nobody". Did you mean "jared"?',
    details: { missing: ['jarde', 'nobody'] },
  });
});

test('nothing is sent to an agent that was terminated', async () => {
  await using here = await temporaryTransfers();
  await here.ledger.transact((tx) =>
    tx.run(`update agents set status = 'terminated' where name = 'jared'`),
  );

  await expect(here.begin('samantha', text, { to: ['jared'] })).rejects.toMatchObject({
    code: 'transfer.no-recipient',
  });
});

test('the owner is somebody to whom and from whom files go', async () => {
  await using here = await temporaryTransfers();

  const [out] = await here.send('owner', text, { to: ['jared'] });
  const [back] = await here.send('jared', text, { to: ['owner', 'owner'] });

  expect(await here.read('jared', out?.id ?? '')).toBe(text);
  expect(await here.read('owner', back?.id ?? '')).toBe(text);
  expect(await here.rows('select id from agent_transfers')).toHaveLength(2);
});

async function revokeAll(here: Awaited<ReturnType<typeof temporaryTransfers>>): Promise<void> {
  const rows = await here.rows<{ id: string }>(
    `select id from grants where principal = 'agent:samantha'`,
  );
  const ids = rows.map(({ id }) => id);
  await here.grants.change(async (_tx, changes) => {
    for (const id of ids) await changes.revoke(id);
  }, ids);
}

test('who lacks the capability is refused, on record, and has stored nothing', async () => {
  await using here = await temporaryTransfers();
  await revokeAll(here);

  const attempt = here.begin('samantha', text, { to: ['jared'] });

  await expect(attempt).rejects.toMatchObject({
    code: 'transfer.denied',
    message: expect.stringContaining('lacks the capability transfer:jared:send'),
    fix: "aos cap grant samantha 'transfer:jared:send'",
  });
  expect(
    await here.rows(`select actor, subject from events where kind = 'capability.denied'`),
  ).toEqual([{ actor: 'agent:samantha', subject: 'transfer:jared:send' }]);
  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
});

test('a grant for one recipient is none for another, and its size and its count hold', async () => {
  await using here = await temporaryTransfers();
  await revokeAll(here);
  await here.grants.change(async (_tx, changes) => {
    const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
    const capability = 'transfer:jared:send{size:20B,max:1}';
    await changes.give({ principal: 'agent:samantha', capability, ...facts });
  });

  await expect(here.begin('samantha', text, { to: ['jean'] })).rejects.toMatchObject({
    code: 'transfer.denied',
  });
  await expect(here.begin('samantha', 'x'.repeat(21), { to: ['jared'] })).rejects.toMatchObject({
    code: 'transfer.denied',
    message: expect.stringContaining('at most 20 bytes'),
  });
  await here.send('samantha', text, { to: ['jared'] });
  await expect(here.send('samantha', 'another', { to: ['jared'] })).rejects.toMatchObject({
    code: 'transfer.denied',
  });
});

test.each([
  ['a bad name', { filename: '../x' }, 'transfer.bad-name'],
  ['a NUL', { filename: 'a\0' }, 'transfer.bad-name'],
  ['metadata of 17 KiB', { metadata: { a: 'x'.repeat(17 * 1024) } }, 'usage.bad-value'],
  ['deep metadata', { metadata: { a: [[[[[[[[[1]]]]]]]]] } }, 'usage.bad-value'],
])('%s is refused before anything is written', async (_what, draft, code) => {
  await using here = await temporaryTransfers();

  await expect(here.begin('samantha', text, { to: ['jared'], ...draft })).rejects.toMatchObject({
    code,
  });
  expect(await here.rows('select id from transfer_uploads')).toEqual([]);
});

test('an upload is nobody else’s to add to, to finish or to give up', async () => {
  await using here = await temporaryTransfers();
  const begun = await here.begin('samantha', text, { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('it is new');
  const id = begun.upload;
  const end = { id, storedBytes: 1, sizeBytes: 1, sha256: sha256('') };

  const attempts = [
    here.transfers.addBytes('jean', { id, from: 0, source: once(new Uint8Array(1)) }),
    here.transfers.finish({ principal: 'jean', isLocal: false }, end),
    here.transfers.giveUp('jean', { id, reason: 'no' }),
    here.transfers.giveUp('jean', { id: 'unknown', reason: 'no' }),
  ];

  const said = await Promise.all(attempts.map((each) => each.catch((error: unknown) => error)));
  expect(new Set(said.map(String)).size).toBe(1);
  expect(said[0]).toMatchObject({ code: 'transfer.unknown' });
});

test('nobody stores more bytes than were announced, or behind a gap', async () => {
  await using here = await temporaryTransfers();
  const begun = await here.begin('samantha', text, { to: ['jared'] });
  if (begun.state !== 'open') throw new Error('it is new');
  const id = begun.upload;

  const gap = here.transfers.addBytes('samantha', { id, from: 5, source: once(new Uint8Array(1)) });
  await expect(gap).rejects.toMatchObject({
    code: 'transfer.wrong-state',
    details: { stored_bytes: 0 },
  });
  const flood = here.transfers.addBytes('samantha', {
    ...{ id, from: 0, source: once(new Uint8Array(1000)) },
  });
  await expect(flood).rejects.toMatchObject({ code: 'transfer.wrong-state' });
});

test('whoever was slow and is taken over can neither add to it nor finish it', async () => {
  await using here = await temporaryTransfers();
  const text = 'the same';
  const slow = await here.begin('samantha', text, { to: ['jared'] });
  if (slow.state !== 'open') throw new Error('it is new');
  await (here.clock as SimulatedClock).advance(6000);
  const quick = await here.begin('samantha', text, { to: ['jared'] });
  if (quick.state !== 'open') throw new Error('nobody has it');
  const bytes = storedOf(text, slow.dek);
  const id = slow.upload;

  const adding = here.transfers.addBytes('samantha', {
    id,
    from: 0,
    source: (async function* () {
      yield bytes;
    })(),
  });
  const finish = {
    id,
    storedBytes: bytes.length,
    sizeBytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  };
  const finishing = here.transfers.finish({ principal: 'samantha', isLocal: false }, finish);

  expect(quick.upload).not.toBe(slow.upload);
  await expect(adding).rejects.toMatchObject({ code: 'transfer.unknown' });
  await expect(finishing).rejects.toMatchObject({ code: 'transfer.unknown' });
});
