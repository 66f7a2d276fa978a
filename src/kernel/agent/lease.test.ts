import { expect, test } from 'vitest';
import { LeaseWatch } from './agent.ts';

const ttlMs = 15_000;
const lease = { token: 1, renewals: 4 };

test('a lease expires when it was watched for its whole time without a change', () => {
  const watch = new LeaseWatch();
  watch.saw('agent:jean', lease, 1000);
  watch.saw('agent:jean', lease, 9000);

  expect(watch.expired('agent:jean', ttlMs, 15_999)).toBe(false);
  expect(watch.expired('agent:jean', ttlMs, 16_000)).toBe(true);
});

test.each([
  ['a renewal', { token: 1, renewals: 5 }],
  ['a new owner whose count begins anew', { token: 2, renewals: 4 }],
])('%s begins the time anew', (_what, changed) => {
  const watch = new LeaseWatch();
  watch.saw('agent:jean', lease, 0);
  watch.saw('agent:jean', changed, 14_000);

  expect(watch.expired('agent:jean', ttlMs, 28_999)).toBe(false);
  expect(watch.expired('agent:jean', ttlMs, 29_000)).toBe(true);
});

test('a lease that nobody watched has not expired, however old it may be', () => {
  const watch = new LeaseWatch();

  expect(watch.expired('agent:jean', ttlMs, 1e12)).toBe(false);
});

test('a lease that was given back and is seen again is watched anew', () => {
  const watch = new LeaseWatch();
  watch.saw('agent:jean', lease, 0);
  watch.forget('agent:jean');

  expect(watch.expired('agent:jean', ttlMs, 20_000)).toBe(false);
  watch.saw('agent:jean', lease, 20_000);
  expect(watch.expired('agent:jean', ttlMs, 34_999)).toBe(false);
});

test('leases are judged each on its own', () => {
  const watch = new LeaseWatch();
  watch.saw('agent:jean', lease, 0);
  watch.saw('agent:jared', lease, 10_000);

  expect(watch.expired('agent:jean', ttlMs, 16_000)).toBe(true);
  expect(watch.expired('agent:jared', ttlMs, 16_000)).toBe(false);
});
