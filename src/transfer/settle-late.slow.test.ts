/** What a recipient says of a transfer whose time is over, or that was taken back. */
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import {
  day,
  type TemporaryTransfers,
  temporaryTransfers,
} from '../../tests/support/temporary-transfers.ts';

const text = 'what was found';

async function sentToJared() {
  const here = await temporaryTransfers();
  const [sent] = await here.send('samantha', text, { to: ['jared'], expiresMs: day });
  const id = sent?.id ?? '';
  return Object.assign(here, {
    id,
    fetch: () => here.transfers.open({ principal: 'jared', isLocal: false }, id),
    says: (step: 'verified' | 'failed' | 'rejected') =>
      here.transfers.settle('jared', { id, step, reason: 'because' }),
    revoke: () => here.transfers.settle('samantha', { id, step: 'revoked' }),
  });
}

/** That its time is over is seen by the clock alone, or was written down by who cleans up. */
const ways = [
  ['nobody has looked since', async () => {}],
  ['it was cleaned up', async (here: TemporaryTransfers) => void (await here.transfers.cleanUp())],
] as const;

type Look = (typeof ways)[number][1];

async function expire(here: TemporaryTransfers, look: Look): Promise<void> {
  await (here.clock as SimulatedClock).advance(day);
  await look(here);
}

function heardBy({ told }: TemporaryTransfers, principal: string): string[] {
  return told.filter(({ to }) => to === principal).map(({ body }) => body);
}

test.each(ways)(
  'what expired before it was fetched becomes neither received nor failed (%s)',
  async (_way, look) => {
    await using here = await sentToJared();
    await expire(here, look);
    const before = await here.rows('select * from agent_transfers');

    for (const step of ['verified', 'failed'] as const) {
      await expect(here.says(step)).rejects.toMatchObject({
        ...{ code: 'transfer.over', message: expect.stringContaining('has expired') },
      });
    }

    expect(await here.rows('select * from agent_transfers')).toEqual(before);
    expect(await here.rows(`select kind from events where kind = 'transfer.alert'`)).toEqual([]);
    expect(heardBy(here, 'owner')).toEqual([]);
    expect(heardBy(here, 'samantha').join('')).not.toContain('received');
    expect(await here.rows('select id from transfer_bodies where content is null')).toEqual([]);
  },
);

test.each(ways)(
  'who began to fetch it in time, and has it whole a little later, has received it (%s)',
  async (_way, look) => {
    await using here = await sentToJared();
    await here.fetch();
    await expire(here, look);

    const verified = await here.says('verified');

    expect(verified).toMatchObject({ status: 'downloaded', ack: 'verified' });
    expect(verified.downloaded_at).not.toBeNull();
    expect(heardBy(here, 'samantha').at(-1)).toBe('jared has received report.md.\n');
  },
);

test.each(ways)(
  'who began in time and did not get it has failed at nothing: it is over (%s)',
  async (_way, look) => {
    await using here = await sentToJared();
    await here.fetch();
    await expire(here, look);

    await expect(here.says('failed')).rejects.toMatchObject({ code: 'transfer.over' });

    expect(heardBy(here, 'owner')).toEqual([]);
    expect(await here.rows('select ack from agent_transfers')).toEqual([{ ack: 'fetched' }]);
  },
);

test.each(['in time', 'late'])('what was taken back is not received, %s', async (when) => {
  await using here = await sentToJared();
  await here.fetch();
  await here.revoke();
  if (when === 'late') await (here.clock as SimulatedClock).advance(2 * day);

  for (const step of ['verified', 'failed'] as const) {
    await expect(here.says(step)).rejects.toMatchObject({
      code: 'transfer.wrong-state',
      message: expect.stringContaining('is revoked'),
    });
  }

  expect(await here.rows('select status, ack from agent_transfers')).toEqual([
    { status: 'expired', ack: 'revoked' },
  ]);
  expect(heardBy(here, 'samantha')).toEqual([]);
});

test('what was received in time is so when that is said again late', async () => {
  await using here = await sentToJared();
  await here.says('verified');
  await (here.clock as SimulatedClock).advance(2 * day);
  await here.transfers.cleanUp();

  const again = await here.says('verified');

  expect(again).toMatchObject({ status: 'downloaded', ack: 'verified' });
  expect(heardBy(here, 'samantha')).toEqual(['jared has received report.md.\n']);
});
