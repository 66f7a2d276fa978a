import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
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
  const prune = async () => {
    const ring = timers['audit.prune'];
    if (ring?.kind === 'repeatable') await ring.ring(timer);
  };
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
