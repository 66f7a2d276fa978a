import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { insertAgent } from '../ledger/agents.ts';
import { readEvents } from '../ledger/events.ts';
import { findPrincipalOfHandle, insertPrincipal } from '../ledger/security/principals.ts';
import { hashOfHandle } from './handles.ts';
import { renewHandle } from './register.ts';

async function world() {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  const row = { registered_at: 1, status: 'active', state: 'pending', body: 'guest' } as const;
  await ledger.transact(async (tx) => {
    for (const name of ['jean', 'jared']) {
      await insertAgent(tx, { name, ...row });
      const keys = { address: `0x${name}`, public_key: '0x', created_at: 1 };
      await insertPrincipal(tx, { id: `agent:${name}`, kind: 'agent', ...keys });
    }
  });
  return {
    deps: { ledger, clock, random: seededRandom('renew') },
    whoHas: (handle: string) =>
      findPrincipalOfHandle(ledger.committed, hashOfHandle(handle), clock.now()),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

test('renewHandle() gives a new handle, and the old one is worth nothing', async () => {
  await using here = await world();
  const old = await renewHandle(here.deps, { name: 'jean', actor: 'owner' });
  const other = await renewHandle(here.deps, { name: 'jared', actor: 'owner' });

  const renewed = await renewHandle(here.deps, { name: 'jean', actor: 'owner' });

  expect(await here.whoHas(renewed.handle)).toBe('agent:jean');
  expect(await here.whoHas(old.handle)).toBeUndefined();
  expect(await here.whoHas(other.handle)).toBe('agent:jared');
});

test('renewHandle() leaves an event that has no handle in it', async () => {
  await using here = await world();

  const { handle } = await renewHandle(here.deps, { name: 'jean', actor: 'owner' });

  const page = { limit: 1, order: 'newest-first' } as const;
  const [event] = await readEvents(here.deps.ledger.committed, {}, page);
  expect(event).toMatchObject({ kind: 'identity.handle-renewed', subject: 'agent:jean' });
  expect(JSON.stringify(event)).not.toContain(handle);
});

test('renewHandle() refuses an agent that is not there, and gives no handle', async () => {
  await using here = await world();

  const attempt = renewHandle(here.deps, { name: 'nobody', actor: 'owner' });

  await expect(attempt).rejects.toMatchObject({ code: 'agent.unknown' });
  expect(await here.deps.ledger.committed.all('select hash from handles')).toEqual([]);
});
