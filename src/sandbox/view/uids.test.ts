import { expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { realClock } from '../../engines/clock.ts';
import { insertAgent } from '../../ledger/agents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { uidFor } from './uids.ts';

function addAgent(ledger: Ledger, name: string): Promise<boolean> {
  const facts = { status: 'active', state: 'pending', body: 'command' } as const;
  return ledger.transact((tx) => insertAgent(tx, { name, registered_at: 1, ...facts }));
}

test('each agent has a uid of its own, high, and keeps it', async () => {
  await using at = await temporaryLedger();
  const deps = { ledger: at.ledger, random: seededRandom(1), clock: realClock };
  for (const name of ['jean', 'bob']) await addAgent(at.ledger, name);

  const jean = await uidFor(deps, 'agent:jean');
  const bob = await uidFor(deps, 'agent:bob');
  const owner = await uidFor(deps, 'owner');

  expect(new Set([jean, bob, owner]).size).toBe(3);
  for (const uid of [jean, bob, owner]) expect(uid).toBeGreaterThanOrEqual(2_000_000_000);
  expect(await uidFor(deps, 'agent:jean')).toBe(jean);
  expect(await uidFor(deps, 'owner')).toBe(owner);
});

test('two who ask at once hear the same', async () => {
  await using at = await temporaryLedger();
  const deps = { ledger: at.ledger, random: seededRandom(1), clock: realClock };
  await addAgent(at.ledger, 'jean');

  const [one, other] = await Promise.all([uidFor(deps, 'agent:jean'), uidFor(deps, 'agent:jean')]);

  expect(one).toBe(other);
});

test('a uid that another agent has is not given', async () => {
  await using at = await temporaryLedger();
  for (const name of ['jean', 'bob']) await addAgent(at.ledger, name);
  const bytes = [7, 7, 7, 9];
  const random = { bytes: () => Uint8Array.from([0, 0, 0, bytes.shift() ?? 1]) };
  const deps = { ledger: at.ledger, random, clock: realClock };

  expect(await uidFor(deps, 'agent:jean')).toBe(2_000_000_007);
  expect(await uidFor(deps, 'agent:bob')).toBe(2_000_000_009);
});

test('an agent that there is not has none', async () => {
  await using at = await temporaryLedger();
  const deps = { ledger: at.ledger, random: seededRandom(1), clock: realClock };

  await expect(uidFor(deps, 'agent:nobody')).rejects.toMatchObject({ code: 'agent.unknown' });
});
