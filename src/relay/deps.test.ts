import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { Stamps } from './deps.ts';

test('stamps only go up, also when the clock goes back', () => {
  const stamps = new Stamps(undefined);

  const given = [2000, 2000, 1000, 2001, 5].map((now) => stamps.next(now));

  expect(given).toEqual([
    '0000000002000000000',
    '0000000002000000001',
    '0000000002000000002',
    '0000000002001000000',
    '0000000002001000001',
  ]);
  expect(stamps.behindMs(5)).toBe(1996);
});

test('stamps go on behind the last one that was given out', () => {
  const stamps = new Stamps('0000000002000999999');

  expect(stamps.next(1000)).toBe('0000000002001000000');
});

test('messages keep their order in the inbox when the clock is put back, and after a restart', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  await home.send('jean', { to: 'samantha', body: '1' });
  clock.jump(-3_600_000);
  await home.send('jean', { to: 'samantha', body: '2' });
  await home.unread('samantha', 2);
  clock.jump(-3_600_000);
  await home.restart({ holder: '2' });

  const last = await home.send('jean', { to: 'samantha', body: '3' });

  await home.until(last, 'delivered');
  const bodies = home.inboxes.texts('samantha').map((text) => text.split('\n\n')[1]);
  expect(bodies).toEqual(['1', '2', '3']);
});
