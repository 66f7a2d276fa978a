import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import { seeSignature } from '../../ledger/security/seen-requests.ts';
import { homeTimers } from './home-timers.ts';

const dayMs = 86_400_000;

async function world() {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  const owner = { address: '0x1', sign: () => '0x2' };
  const calls = { announce: async () => {}, expire: async () => {} };
  const approvalWebhook = 'none';
  const rest = {
    approvalWebhook,
    log: { info: () => {}, error: () => {} },
    auditDays: 90,
    keepRelay: async () => {},
    keepBlobs: async () => {},
    transfers: {
      recover: async () => {},
      cleanUp: async () => ({ expired: 0, freed_bytes: 0 }),
      prune: async () => {},
    },
    operations: {
      cleanUp: async () => 0,
      watchResources: async () => {},
      rotateKeys: async () => ({ key: '', resealed: 0, rewrapped: 0 }),
      keyMadeAt: 0,
    },
    keyRotationDays: 90,
    filePlanDays: 30,
    files: { forgetBefore: async () => {}, recover: async () => {} },
    memory: { keepHouse: async () => {} },
    calls,
  };
  const timers = homeTimers({ ledger, clock, owner, ...rest });
  const timer = { id: 't', kind: 't', subject: 's', payload: '{}', due_at: 0, every_ms: dayMs };
  const ring = async (kind: string) => {
    const known = timers[kind];
    if (known?.kind === 'repeatable') await known.ring(timer);
  };
  const prune = () => ring('audit.prune');
  const subjects = async () =>
    (
      await ledger.committed.all<{ subject: string }>(
        `select subject from events where kind = 'test.day' order by seq`,
      )
    ).map(({ subject }) => subject);
  const day = (subject: string) =>
    ledger.transact((tx) => tx.record({ actor: 'owner', kind: 'test.day', subject }));
  return {
    clock,
    ledger,
    ring,
    prune,
    subjects,
    day,
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

test('events go when they are older than they are kept', async () => {
  await using here = await world();
  for (let number = 0; number < 95; number++) {
    await here.day(`day ${number}`);
    await here.prune();
    here.clock.jump(dayMs);
  }

  await here.prune();

  expect((await here.subjects())[0]).toBe('day 5');
});

test('a clock that is months ahead for a while takes two days of the trail at most', async () => {
  await using here = await world();
  for (let number = 0; number < 20; number++) {
    await here.day(`day ${number}`);
    await here.prune();
    here.clock.jump(dayMs);
  }

  here.clock.jump(200 * dayMs);
  await here.prune();
  here.clock.jump(-200 * dayMs);
  await here.prune();

  expect((await here.subjects())[0]).toBe('day 0');
});

test('a signature that was forgotten is not good again when the clock is set back', async () => {
  await using here = await world();
  const signer = '0x1';
  const expiresAt = here.clock.now() + 60_000;
  const see = (digest: string, end = expiresAt) =>
    here.ledger.transact((tx) => seeSignature(tx, { signer, digest, expiresAt: end }));
  expect(await see('old')).toBe(true);

  here.clock.jump(dayMs);
  await here.ring('operation.cleanup');
  here.clock.jump(-dayMs);
  await here.ring('operation.cleanup');

  const rows = await here.ledger.committed.all('select * from seen_signatures');
  expect(rows).toEqual([]);
  expect(await see('old')).toBe(false);
  // What ends later than all that were forgotten cannot be one of them.
  expect(await see('new', expiresAt + 1)).toBe(true);
});
