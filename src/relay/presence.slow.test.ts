import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { until } from '../../tests/support/until.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { findAgent, setBeats } from '../ledger/agents.ts';
import { watchPresence } from './presence.ts';

const dayMs = 86_400_000;
const lookMs = 20_000;

/** Samantha, and the processes of a machine that a test starts and ends. */
async function world() {
  const clock = new SimulatedClock();
  const folder = temporaryFolder();
  const home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const running = new Map<number, string>([[42, 'begun at noon']]);
  const stop = new AbortController();
  const watching = watchPresence(
    {
      ...{ ledger: home.ledger, relay: home.relay, clock, disk: realDisk, home: folder.path },
      processes: { startTimeOf: (pid) => running.get(pid) },
      log: { info: () => {}, warn: () => {}, error: () => {} },
    },
    stop.signal,
  );
  const place = join(folder.path, 'agents', 'samantha');
  mkdirSync(place, { recursive: true });
  return {
    ...{ clock, home, running, place },
    meta: (meta: unknown) => writeFileSync(join(place, 'meta.json'), JSON.stringify(meta)),
    /** Lets that many looks come to their end. */
    async look(times = 1) {
      for (let n = 0; n < times; n++) {
        await clock.advance(lookMs);
        // The expiry, the sweep of inboxes, and this.
        await until(() => expect(clock.sleeping).toBe(3));
      }
    },
    samantha: () => findAgent(home.ledger.committed, 'samantha'),
    async events() {
      const events = await home.ledger.committed.all<{ kind: string }>(
        `select kind from events where kind like 'agent.%' order by seq`,
      );
      return events.map(({ kind }) => kind);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
      await home[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('a guest that tells its process', () => {
  test('has it kept', async () => {
    await using here = await world();
    here.meta({ pid: 42, started_at: 'noon' });

    await here.look();

    expect(await here.samantha()).toMatchObject({ pid: 42, status: 'active' });
  });

  test('is active while that runs, however silent', async () => {
    await using here = await world();
    here.meta({ pid: 42 });

    await here.look(6);

    expect(await here.samantha()).toMatchObject({ status: 'active' });
  });

  test('is inactive when that is gone and a minute was silent', async () => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.running.delete(42);

    await here.look(2);
    expect(await here.samantha()).toMatchObject({ status: 'active' });
    await here.look(2);

    expect(await here.samantha()).toMatchObject({ status: 'inactive' });
    expect(await here.events()).toEqual(['agent.inactive']);
  });

  test('is inactive when its number belongs to another process now', async () => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.running.set(42, 'begun later');

    await here.look(4);

    expect(await here.samantha()).toMatchObject({ status: 'inactive' });
  });

  test('that says itself that it was begun anew is there', async () => {
    await using here = await world();
    here.meta({ pid: 42, started_at: 'noon' });
    await here.look();
    here.running.set(42, 'begun later');
    here.meta({ pid: 42, started_at: 'later' });

    await here.look(4);

    expect(await here.samantha()).toMatchObject({ status: 'active' });
  });

  test('and tells another that runs is active again', async () => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.running.delete(42);
    await here.look(4);

    here.running.set(43, 'begun later');
    here.meta({ pid: 43 });
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'active', pid: 43 });
    expect(await here.events()).toEqual(['agent.inactive', 'agent.active']);
  });

  test.each([
    ['sends', (here: World) => here.home.send('samantha', { to: 'jean' })],
    ['calls', async (here: World) => here.home.relay.heardFrom('samantha')],
  ])('and is inactive is active again when it %s', async (_what, act) => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.running.delete(42);
    await here.look(4);

    await act(here);
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'active' });
  });

  test('is there while somebody is attached in its name', async () => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.running.delete(42);
    await using _attached = here.home.relay.mailboxes.attach('samantha', {
      push: async () => {},
      wants: () => true,
    });

    await here.look(6);

    expect(await here.samantha()).toMatchObject({ status: 'active' });
  });
});

type World = Awaited<ReturnType<typeof world>>;

describe('a guest of which no process is known', () => {
  test('stays active: it may only be slow', async () => {
    await using here = await world();

    await here.look(5);
    here.clock.jump(2 * dayMs);
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'active', pid: null });
  });

  test.each<[string, (here: World) => void]>([
    ['is no JSON', ({ place }) => writeFileSync(join(place, 'meta.json'), '{')],
    ['is a list', ({ meta }) => meta([42])],
    ['tells words', ({ meta }) => meta({ pid: '42' })],
    ['tells a number that no process has', ({ meta }) => meta({ pid: -42 })],
    ['is too large', ({ meta }) => meta({ pid: 42, more: 'x'.repeat(64 * 1024) })],
    ['is a folder', ({ place }) => mkdirSync(join(place, 'meta.json'))],
    [
      'is a symlink',
      ({ place }) => {
        writeFileSync(join(place, 'other.json'), '{"pid":42}');
        symlinkSync('other.json', join(place, 'meta.json'));
      },
    ],
  ])('has a meta.json that %s', async (_what, prepare) => {
    await using here = await world();
    prepare(here);

    await here.look();

    expect(await here.samantha()).toMatchObject({ pid: null });
  });
});

test('a guest that has told by heartbeats is inactive after a minute without, and gone after a day', async () => {
  await using here = await world();
  await here.home.ledger.transact((tx) => setBeats(tx, 'samantha'));

  await here.look(2);
  expect(await here.samantha()).toMatchObject({ status: 'active' });
  await here.look();
  expect(await here.samantha()).toMatchObject({ status: 'inactive', pid: null });
  here.clock.jump(dayMs);
  await here.look();

  expect(await here.samantha()).toMatchObject({ status: 'terminated' });
  expect(await here.events()).toEqual(['agent.inactive', 'agent.reaped']);
});

describe('a guest that is inactive for a day', () => {
  async function inactive() {
    const here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.running.delete(42);
    await here.look(4);
    return here;
  }

  test('is terminated, and what waits for it is dead, with its senders told', async () => {
    await using here = await inactive();
    const id = await here.home.send('jean', { to: 'samantha' });
    await here.home.until(id, 'delivered');

    here.clock.jump(dayMs);
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'terminated' });
    expect(await here.events()).toEqual(['agent.inactive', 'agent.reaped']);
    expect(await here.home.unread('jean', 1)).toMatchObject([
      {
        kind: 'nack',
        re: id,
        body: 'Your message to samantha could not be delivered: agent samantha was terminated.\n',
      },
    ]);
    expect(here.home.inboxes.names('samantha')).toEqual([]);
  });

  test('but an hour is not yet', async () => {
    await using here = await inactive();

    here.clock.jump(dayMs - 3_600_000);
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'inactive' });
  });

  test('counts from when it became so, not from when it was last seen', async () => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    here.clock.jump(3 * dayMs);
    await here.look();
    here.running.delete(42);

    await here.look(2);

    expect(await here.samantha()).toMatchObject({ status: 'inactive' });
  });

  test('is not terminated while its process runs, whatever it said of itself', async () => {
    await using here = await world();
    here.meta({ pid: 42 });
    await here.look();
    const status = { to: '__orchestrator__', kind: 'status', body: 'STATUS: inactive\n' } as const;
    await here.home.send('samantha', status);

    here.clock.jump(2 * dayMs);
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'inactive' });
  });

  test('stays terminated when it comes back', async () => {
    await using here = await inactive();
    here.clock.jump(dayMs);
    await here.look();

    const sending = here.home.send('samantha', { to: 'jean' });
    await expect(sending).rejects.toMatchObject({ code: 'message.denied' });
    await here.look();

    expect(await here.samantha()).toMatchObject({ status: 'terminated' });
  });
});

test('an agent that said that it is terminated gets nothing more, and senders are told', async () => {
  await using here = await world();
  const id = await here.home.send('jean', { to: 'samantha' });
  await here.home.until(id, 'delivered');
  const status = { to: '__orchestrator__', kind: 'status', body: 'STATUS: terminated\n' } as const;
  await here.home.send('samantha', status);

  await here.look();

  expect(await here.home.relay.history(id)).toMatchObject({ deliveries: [{ state: 'dead' }] });
  await here.home.unread('jean', 1);
});
