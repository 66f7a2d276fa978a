import { describe, expect, test } from 'vitest';
import { type TemporaryTools, temporaryTools } from '../../../tests/support/temporary-tools.ts';
import type { Action } from '../../kernel/capability/capability.ts';
import { type GrantRow, insertGrant } from '../../ledger/security/grants.ts';

const reading = 'file:/data/*:read';
const readA: Action = { resource: 'file', action: 'read', path: ['data', 'a'] };

const toJean = { agent: 'jean', capability: reading };
const toSam = { agent: 'sam', from: 'jean', capability: reading };

/** jean holds it from the owner, sam from jean, kim from sam. */
async function handedOn(capability = reading) {
  const world = await temporaryTools();
  const { capabilities } = world;
  const own = await capabilities.grant({ agent: 'jean', capability }, 'owner');
  const sams = await capabilities.delegate({ ...toSam, capability }, 'agent:jean');
  const kims = await capabilities.delegate({ agent: 'kim', from: 'sam', capability }, 'agent:sam');
  return { ...world, own, sams, kims };
}

const mayRead = ({ capabilities }: TemporaryTools) =>
  Promise.all(['jean', 'sam', 'kim'].map((name) => capabilities.check(name, readA)));

const told = async (world: TemporaryTools, kind: string) =>
  (await world.events(kind)).map(({ data, ...event }) => ({ ...event, ...JSON.parse(data) }));

describe('grant()', () => {
  test('gives a capability in its one spelling, on record', async () => {
    const world = await temporaryTools();
    const capability = 'capability://file/data/*?action=read';

    const row = await world.capabilities.grant({ agent: 'jean', capability }, 'owner');

    expect(row).toMatchObject({
      ...{ principal: 'agent:jean', capability: reading, parent: null, granted_by: 'owner' },
      ...{ origin: 'owner', asks: 0, revoked_at: null },
    });
    expect(await mayRead(world)).toEqual([true, false, false]);
    expect(await told(world, 'capability.granted')).toMatchObject([
      { actor: 'owner', subject: 'agent:jean', grant: row.id, capability: reading },
    ]);
  });

  test('that asks is marked so, also on record', async () => {
    const world = await temporaryTools();

    const row = await world.capabilities.grant({ ...toJean, asks: true }, 'owner');

    expect(row.asks).toBe(1);
    expect(await told(world, 'capability.granted')).toMatchObject([{ asks: true }]);
  });

  test.each([
    [{ agent: 'nobody', capability: reading }, 'agent.unknown'],
    [{ agent: 'jean', capability: 'nonsense' }, 'capability.bad'],
  ])('of %j is refused as %s, and leaves no trace', async (wanted, code) => {
    const world = await temporaryTools();

    await expect(world.capabilities.grant(wanted, 'owner')).rejects.toMatchObject({ code });

    expect(await world.events('capability.%')).toEqual([]);
  });
});

describe('delegate()', () => {
  test('hands on what is narrower, and inherits what it does not say', async () => {
    const world = await temporaryTools();
    const { capabilities } = world;
    const wide = 'file:/data/**:read,write{timeout:30s,max:5}';
    const { id } = await capabilities.grant({ agent: 'jean', capability: wide }, 'owner');

    const row = await capabilities.delegate(
      { ...toSam, capability: 'file:/data/a:read{max:2}' },
      'agent:jean',
    );

    expect(row).toMatchObject({
      ...{ principal: 'agent:sam', parent: id, granted_by: 'agent:jean', origin: 'delegation' },
      capability: 'file:/data/a:read{max:2,timeout:30s}',
    });
    expect(await mayRead(world)).toEqual([true, true, false]);
    expect(await told(world, 'capability.delegated')).toMatchObject([
      { actor: 'agent:jean', subject: 'agent:sam', grant: row.id, parent: id },
    ]);
  });

  test.each([
    ['a wider target', 'file:/data/**:read'],
    ['another target', 'file:/etc/*:read'],
    ['one more action', 'file:/data/*:read,write'],
    ['a longer time', 'file:/data/*:read{timeout:31s}'],
    ['more uses', 'file:/data/*:read{max:6}'],
    ['another resource', 'tool:*:call'],
  ])('refuses %s', async (_what, capability) => {
    const world = await temporaryTools();
    const held = 'file:/data/*:read{timeout:30s,max:5}';
    await world.capabilities.grant({ agent: 'jean', capability: held }, 'owner');

    const attempt = world.capabilities.delegate({ ...toSam, capability }, 'agent:jean');

    await expect(attempt).rejects.toMatchObject({ code: 'capability.not-narrower' });
    expect(await world.events('capability.delegated')).toEqual([]);
  });

  test('takes the grant that is named, and no other', async () => {
    const { capabilities, clock } = await temporaryTools();
    const first = await capabilities.grant(toJean, 'owner');
    // Ids of the same moment have no order.
    await clock.advance(1);
    const second = await capabilities.grant(toJean, 'owner');
    const narrow = await capabilities.grant(
      { agent: 'jean', capability: 'file:/data/b:read' },
      'owner',
    );
    const from = (parent?: string) => capabilities.delegate({ ...toSam, parent }, 'agent:jean');

    const parents = [(await from()).parent, (await from(second.id)).parent];

    expect(parents).toEqual([first.id, second.id]);
    await expect(from(narrow.id)).rejects.toMatchObject({ code: 'capability.not-narrower' });
    await expect(from('0'.repeat(32))).rejects.toMatchObject({ code: 'capability.unknown' });
  });

  test("refuses somebody else's grant, oneself, and whoever is not there", async () => {
    const { capabilities } = await temporaryTools();
    const { id } = await capabilities.grant(toJean, 'owner');
    const attempts = [
      capabilities.delegate(
        { agent: 'kim', from: 'sam', capability: reading, parent: id },
        'owner',
      ),
      capabilities.delegate({ agent: 'jean', from: 'jean', capability: reading }, 'owner'),
      capabilities.delegate({ ...toSam, agent: 'nobody' }, 'owner'),
    ];

    const ends = await Promise.allSettled(attempts);

    expect(ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.value))).toEqual([
      'capability.unknown',
      'capability.not-narrower',
      'agent.unknown',
    ]);
  });

  test('refuses what rests on a grant that is revoked, or has expired', async () => {
    const world = await handedOn();
    const { capabilities, clock } = world;
    await capabilities.revoke(world.own.id, 'owner');
    const ending = 'file:/data/*:read{expires:2030-01-01T00:00:01Z}';
    await capabilities.grant({ agent: 'jean', capability: ending }, 'owner');

    await capabilities.delegate({ ...toSam, capability: ending }, 'owner');
    await clock.advance(1000);
    const attempts = [
      capabilities.delegate({ agent: 'kim', from: 'sam', capability: reading }, 'owner'),
      capabilities.delegate(toSam, 'owner'),
    ];

    for (const attempt of attempts) {
      await expect(attempt).rejects.toMatchObject({ code: 'capability.not-narrower' });
    }
  });

  test('makes a chain of 16, and no longer one', async () => {
    const { capabilities } = await temporaryTools();
    let last = await capabilities.grant(toJean, 'owner');
    const onwards = (step: number) => {
      const [from, agent] = step % 2 === 1 ? ['jean', 'sam'] : ['sam', 'jean'];
      const wanted = { from: from ?? '', agent: agent ?? '', capability: reading };
      return capabilities.delegate({ ...wanted, parent: last.id }, 'owner');
    };
    for (let step = 1; step < 16; step++) last = await onwards(step);

    const attempt = onwards(16);

    await expect(attempt).rejects.toMatchObject({ code: 'capability.too-many' });
    expect(await capabilities.check('sam', readA)).toBe(true);
  });

  test('gives one at most 1,000 grants of others, until one of them is revoked', async () => {
    const world = await temporaryTools();
    const { id } = await world.capabilities.grant(toJean, 'owner');
    await fill(world, 1000, (index) => ({
      ...{ id: `r${index}`, principal: 'agent:sam', parent: id },
      granted_by: `agent:giver-${index}`,
    }));

    const full = world.capabilities.delegate(toSam, 'agent:jean');
    await expect(full).rejects.toMatchObject({ code: 'capability.too-many' });
    await world.capabilities.revoke('r7', 'agent:sam');

    expect(await world.capabilities.delegate(toSam, 'agent:jean')).toMatchObject({ parent: id });
  });

  test('gives one at most 250 grants of one other, not counting what has expired', async () => {
    const world = await temporaryTools();
    const { id } = await world.capabilities.grant(toJean, 'owner');
    const expires = `${new Date(world.clock.now() + 1000).toISOString().slice(0, 19)}Z`;
    await fill(world, 250, (index) => ({
      ...{ id: `r${index}`, principal: 'agent:sam', parent: id, granted_by: 'agent:jean' },
      capability: `file:/data/${index}:read{expires:${expires}}`,
    }));

    const full = world.capabilities.delegate(toSam, 'agent:jean');
    await expect(full).rejects.toThrow('was given 250 grants by "jean" already');
    await world.clock.advance(1000);

    expect(await world.capabilities.delegate(toSam, 'agent:jean')).toMatchObject({ parent: id });
  });

  test('lets one delegate 10,000 times, and counts what was revoked for a day', async () => {
    const world = await temporaryTools();
    const { capabilities, clock, ledger } = world;
    const { id } = await capabilities.grant(toJean, 'owner');
    await fill(world, 10_000, (index) => ({
      ...{ id: `d${index}`, principal: `agent:other-${index}`, parent: id },
    }));
    const attempt = () => capabilities.delegate(toSam, 'agent:jean');

    await expect(attempt()).rejects.toMatchObject({ code: 'capability.too-many' });
    await ledger.transact((tx) =>
      tx.run("update grants set revoked_at = $1 where id like 'd%'", [clock.now()]),
    );
    await expect(attempt()).rejects.toMatchObject({ code: 'capability.too-many' });
    await clock.advance(24 * 3_600_000);

    expect(await attempt()).toMatchObject({ parent: id });
  });
});

/** Delegations that were made before. */
async function fill(
  { ledger }: TemporaryTools,
  count: number,
  facts: (index: number) => Pick<GrantRow, 'id' | 'principal' | 'parent'> & Partial<GrantRow>,
): Promise<void> {
  await ledger.transact(async (tx) => {
    for (let index = 0; index < count; index++) {
      const given = { granted_by: 'agent:jean', origin: 'delegation', asks: 0 } as const;
      await insertGrant(tx, { ...given, capability: reading, created_at: 0, ...facts(index) });
    }
  });
}

describe('revoke()', () => {
  test.each([
    ['the owner', 'owner'],
    ['its holder', 'agent:sam'],
    ['whoever delegated it', 'agent:jean'],
  ])('by %s ends the grant and what is below it', async (_who, actor) => {
    const world = await handedOn();

    const { grant, below } = await world.capabilities.revoke(world.sams.id, actor);

    expect([grant.id, below]).toEqual([world.sams.id, 1]);
    expect(await mayRead(world)).toEqual([true, false, false]);
    expect(await told(world, 'capability.revoked')).toMatchObject([
      { actor, subject: 'agent:sam', grant: world.sams.id, capability: reading, below: 1 },
    ]);
  });

  test('by anybody else is the same as for a grant that is not there', async () => {
    const world = await handedOn();
    const { capabilities, sams } = world;

    const stranger = capabilities.revoke(sams.id, 'agent:kim');
    const none = capabilities.revoke('0'.repeat(32), 'owner');

    for (const attempt of [stranger, none]) {
      await expect(attempt).rejects.toMatchObject({ code: 'capability.unknown' });
    }
    expect(await mayRead(world)).toEqual([true, true, true]);
  });

  test('a second time changes nothing, and is not on record again', async () => {
    const world = await handedOn();
    await world.capabilities.revoke(world.own.id, 'owner');

    const { below } = await world.capabilities.revoke(world.own.id, 'owner');

    expect(below).toBe(0);
    expect(await world.events('capability.revoked')).toHaveLength(1);
  });
});

describe('revokeCapability()', () => {
  test('ends every grant that says exactly this, in any spelling, and what is below', async () => {
    const world = await handedOn();
    const { capabilities, own } = world;
    // Ids of the same moment have no order.
    await world.clock.advance(1);
    const twin = await capabilities.grant(toJean, 'owner');
    await capabilities.grant({ agent: 'jean', capability: 'file:/data/a:write' }, 'owner');

    const { revoked, below } = await capabilities.revokeCapability(
      { agent: 'jean', capability: 'capability://file/data/*?action=read' },
      'owner',
    );

    expect(revoked.map(({ id }) => id)).toEqual([own.id, twin.id]);
    expect(revoked.every(({ revoked_at }) => revoked_at !== null)).toBe(true);
    expect(below).toBe(2);
    expect(await mayRead(world)).toEqual([false, false, false]);
    expect(await capabilities.check('jean', { ...readA, action: 'write' })).toBe(true);
    expect(await told(world, 'capability.revoked')).toMatchObject([
      { actor: 'owner', grant: own.id, below: 2 },
      { actor: 'owner', grant: twin.id, below: 0 },
    ]);
  });

  test('is one change: whoever listens sees all of them ended', async () => {
    const world = await temporaryTools();
    const { capabilities, grants, ledger } = world;
    for (let count = 0; count < 3; count++) await capabilities.grant(toJean, 'owner');
    const seen: Promise<{ kind: string }>[] = [];
    using _listening = grants.onRevoked(
      () => void seen.push(grants.decide(ledger.committed, 'agent:jean', readA)),
    );

    await capabilities.revokeCapability(toJean, 'owner');

    expect((await Promise.all(seen)).map(({ kind }) => kind)).toEqual(['denied']);
  });

  test('counts a grant once that came back to its giver', async () => {
    const world = await handedOn();
    const { capabilities } = world;
    const back = { agent: 'jean', from: 'kim', capability: reading };
    const { id } = await capabilities.delegate(back, 'agent:kim');

    const { revoked, below } = await capabilities.revokeCapability(toJean, 'owner');

    expect(revoked.map((grant) => grant.id).toSorted()).toEqual([world.own.id, id].toSorted());
    expect(below).toBe(2);
  });

  test.each([
    ['of an agent that is not there', { agent: 'nobody', capability: reading }, 'agent.unknown'],
    ['that nobody gave', { agent: 'jean', capability: 'file:/data/a:read' }, 'capability.unknown'],
    ['that is none', { agent: 'jean', capability: 'nonsense' }, 'capability.bad'],
  ])('of a capability %s is refused', async (_what, which, code) => {
    const world = await handedOn();

    const attempt = world.capabilities.revokeCapability(which, 'owner');

    await expect(attempt).rejects.toMatchObject({ code });
    expect(await mayRead(world)).toEqual([true, true, true]);
  });

  test('is refused a second time, and to a stranger', async () => {
    const { capabilities } = await handedOn();

    const stranger = capabilities.revokeCapability(toJean, 'agent:sam');
    await expect(stranger).rejects.toMatchObject({ code: 'capability.unknown' });
    await capabilities.revokeCapability(toJean, 'agent:jean');
    const again = capabilities.revokeCapability(toJean, 'owner');

    await expect(again).rejects.toMatchObject({
      code: 'capability.unknown',
      message: 'Agent "jean" has no grant that says file:/data/*:read',
    });
  });

  test('of two at once, one revokes and the other finds nothing', async () => {
    const world = await handedOn();
    const { capabilities } = world;

    const ends = await Promise.allSettled([
      capabilities.revokeCapability(toJean, 'owner'),
      capabilities.revokeCapability(toJean, 'owner'),
    ]);

    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await world.events('capability.revoked')).toHaveLength(1);
  });
});

describe('check() and explain()', () => {
  test('tell by which grants, count nothing and record nothing', async () => {
    const world = await handedOn('file:/data/*:read{max:1}');
    const { capabilities, own, sams } = world;
    const before = await world.events();

    const answers = [
      await capabilities.check('sam', readA),
      await capabilities.check('sam', readA),
    ];
    const decision = await capabilities.explain('sam', readA);

    expect(answers).toEqual([true, true]);
    expect(decision).toMatchObject({
      kind: 'allowed',
      grant: { links: [{ id: sams.id }, { id: own.id }] },
    });
    expect(await world.events()).toEqual(before);
  });

  test('tell what comes nearest to what is denied', async () => {
    const { capabilities, own } = await handedOn();

    const decision = await capabilities.explain('jean', { ...readA, action: 'write' });

    expect(decision).toEqual({ kind: 'denied', nearest: { grant: own.id, why: 'action' } });
  });

  test('know only agents that are there', async () => {
    const { capabilities } = await temporaryTools();

    await expect(capabilities.check('nobody', readA)).rejects.toMatchObject({
      code: 'agent.unknown',
    });
  });
});

test('audit() tells what an agent did, the newest first, and nothing of others', async () => {
  const { capabilities, sams } = await handedOn();
  await capabilities.revoke(sams.id, 'agent:jean');

  const all = await capabilities.audit('jean');
  const newest = await capabilities.audit('jean', { limit: 1 });

  expect(all.map(({ kind }) => kind)).toEqual(['capability.revoked', 'capability.delegated']);
  expect(newest.map(({ kind }) => kind)).toEqual(['capability.revoked']);
});
