import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import {
  day,
  type TemporaryTransfers,
  temporaryTransfers,
} from '../../tests/support/temporary-transfers.ts';

const hour = 3_600_000;

/** Thirty quiet days of samantha: one transfer to jared, at nine. */
async function thirtyQuietDays(): Promise<TemporaryTransfers & { clock: SimulatedClock }> {
  const here = await temporaryTransfers();
  const clock = here.clock as SimulatedClock;
  await clock.advance(9 * hour);
  for (let each = 0; each < 30; each++) {
    await here.send('samantha', 'the same every day', { to: ['jared'] });
    await clock.advance(day);
  }
  return Object.assign(here, { clock });
}

const alerts = (here: TemporaryTransfers) =>
  here.told.filter(({ to }) => to === 'owner').map(({ body }) => body);

test('thirty quiet days, and another one, are nothing to tell of', async () => {
  await using here = await thirtyQuietDays();

  await here.send('samantha', 'the same every day', { to: ['jared'] });

  expect(alerts(here)).toEqual([]);
});

test('a burst after thirty quiet days is told once, as an event and a message', async () => {
  await using here = await thirtyQuietDays();

  for (let each = 0; each < 15; each++) {
    await here.send('samantha', `burst ${each}`, { to: ['jared'] });
  }

  expect(alerts(here)).toEqual([
    'samantha sends much more than in any hour of the last thirty days.\n',
  ]);
  expect(await here.rows(`select data from events where kind = 'transfer.alert'`)).toEqual([
    { data: expect.stringContaining('"alert":"burst"') },
  ]);
});

test('a recipient that is new is told of, each day once', async () => {
  await using here = await thirtyQuietDays();

  await here.send('samantha', 'for jean', { to: ['jared', 'jean'] });
  await here.send('samantha', 'for the owner', { to: ['owner'] });

  expect(alerts(here).filter((body) => !body.includes('sent you'))).toEqual([
    'samantha has sent something to somebody to whom it never sent before.\n',
  ]);
});

test('a time of the day that is new is told of', async () => {
  await using here = await thirtyQuietDays();
  await here.clock.advance(18 * hour);

  await here.send('samantha', 'at three in the night', { to: ['jared'] });

  expect(alerts(here)).toEqual([
    'samantha sends at a time of the day at which it never sent before.\n',
  ]);
});
