import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { LeaseKeeper } from './lease-keeper.ts';

test('a lease is held by one, until it is given back', async () => {
  const { keeper } = await home();
  const first = keeper('one');
  const second = keeper('two');

  const taken = await first.take('agent:jean');
  const refused = await second.take('agent:jean');
  await first.release('agent:jean');
  const after = await second.take('agent:jean');

  expect([taken, refused, after]).toEqual([1, undefined, 2]);
});

test('of somebody who is known to be gone it is taken at once', async () => {
  const { keeper } = await home();
  await keeper('one').take('agent:jean');

  const token = await keeper('two', { isGone: (owner) => owner === 'one' }).take('agent:jean');

  expect(token).toBe(2);
});

test('of anybody else it is taken only after it stood still for its whole time', async () => {
  const { keeper, clock } = await home();
  await keeper('one').take('agent:jean');
  const second = keeper('two');
  await second.beat();

  await clock.advance(14_000);
  await second.beat();
  const early = await second.take('agent:jean');
  await clock.advance(2000);
  const late = await second.take('agent:jean');

  expect([early, late]).toEqual([undefined, 2]);
});

test('one that is renewed is never taken, however long it is watched', async () => {
  const { keeper, clock } = await home();
  const first = keeper('one');
  const second = keeper('two');
  await first.take('agent:jean');

  for (let beats = 0; beats < 20; beats++) {
    await first.beat();
    await second.beat();
    await clock.advance(5000);
  }

  expect(await second.take('agent:jean')).toBeUndefined();
});

test('who has lost one is told at the next beat, and its late writes are refused', async () => {
  const { keeper, ledger } = await home();
  const first = keeper('one');
  const token = (await first.take('agent:jean')) ?? 0;
  const lost = first.keep('agent:jean', token);
  await keeper('two', { isGone: () => true }).take('agent:jean');

  const late = ledger.transact((tx) => first.check(tx, 'agent:jean', token));
  await expect(late).rejects.toMatchObject({ code: 'lease.lost' });
  await first.beat();

  expect(lost.aborted).toBe(true);
  expect(first.holds('agent:jean')).toBe(false);
});

async function home() {
  const clock = new SimulatedClock();
  const ledger: Ledger = await SimulatedLedger.create(clock);
  const keeper = (owner: string, choices: { isGone?: (owner: string) => boolean } = {}) =>
    new LeaseKeeper({
      ...{ ledger, clock, owner, ttlMs: 15_000, beatMs: 5000, isGone: () => false },
      log: { warn: () => {} },
      ...choices,
    });
  return { clock, ledger, keeper };
}
