import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import { until } from '../../tests/support/until.ts';
import { AosError } from '../kernel/errors.ts';
import type { Note } from '../kernel/message/message.ts';
import { insertAgent } from '../ledger/agents.ts';
import { claimOperation } from '../ledger/operations/operations.ts';
import {
  addPendingOperation,
  openPendingOperations,
} from '../ledger/operations/pending-operations.ts';
import { Requests, type RequestsDeps } from './requests.ts';
import { enqueue } from './submit.ts';

type Request = readonly ['spawn' | 'release', string];

/** With these requests of the owner, none of which is answered. */
async function asked(requests: readonly Request[], doing: Partial<RequestsDeps>) {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  let messages = 0;
  const add = (more: readonly Request[]) =>
    ledger.transact(async (tx) => {
      for (const [type, name] of more) {
        const payload = { name, by: 'owner', message_id: `m${messages++}`, cli: 'true', env: {} };
        await addPendingOperation(tx, { type, payload, at: clock.now() });
      }
    });
  await add(requests);
  const deps: RequestsDeps = {
    ...{ ledger, clock, log: { error: () => {} }, toTell: () => {} },
    folderFor: async (_, path) => path,
    spawn: async ({ name }) => ({ agentId: name, operationId: undefined }),
    terminate: async () => {},
    ...doing,
  };
  const answers = async () => {
    const rows = await openPendingOperations(ledger.committed, 1000, 'tell');
    return rows.map(({ payload }) => JSON.parse(payload) as Note);
  };
  return { requests: new Requests(deps), answers, add, ledger, clock };
}

describe('requests', () => {
  test('let no slow release hold up what is asked about others, then or later', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let releases = 0;
    const { requests, answers, add } = await asked(
      [
        ['release', 'slow'],
        ['spawn', 'quick'],
      ],
      {
        terminate: () => {
          releases++;
          return ended;
        },
      },
    );

    await requests.take();
    await until(async () => expect((await answers()).length).toBe(1));
    await add([['spawn', 'later']]);
    await requests.take();
    await until(async () => expect((await answers()).length).toBe(2));
    const meanwhile = await answers();
    end();
    await requests.settled();

    expect(meanwhile).toMatchObject([
      { re: 'm1', kind: 'ack', body: 'STARTED: quick\n' },
      { re: 'm2', kind: 'ack', body: 'STARTED: later\n' },
    ]);
    expect(await answers()).toMatchObject([{ re: 'm1' }, { re: 'm2' }, { re: 'm0', kind: 'ack' }]);
    expect(releases).toBe(1);
  });

  test('are done in their order where they are about one name, however it is spelt', async () => {
    const done: string[] = [];
    const { requests } = await asked(
      [
        ['spawn', 'Worker'],
        ['release', 'worker'],
        ['spawn', 'Worker'],
      ],
      {
        spawn: async ({ name }) => {
          done.push('spawn begins');
          await Promise.resolve();
          done.push('spawn ends');
          return { agentId: name, operationId: undefined };
        },
        terminate: async () => void done.push('release'),
      },
    );

    await requests.take();
    await requests.settled();

    expect(done).toEqual([
      ...['spawn begins', 'spawn ends', 'release', 'spawn begins', 'spawn ends'],
    ]);
  });

  test('are all taken in one go, and each once', async () => {
    const wanted = Array.from({ length: 120 }, (_, place) => ['spawn', `w${place}`] as const);
    const spawned: string[] = [];
    const { requests, answers } = await asked(wanted, {
      spawn: async ({ name }) => {
        spawned.push(name);
        return { agentId: name, operationId: undefined };
      },
    });

    await requests.take();
    await requests.take();
    await requests.settled();
    await requests.take();
    await requests.settled();

    expect(spawned.toSorted()).toEqual(wanted.map(([, name]) => name).toSorted());
    expect(await answers()).toHaveLength(120);
  });

  test('are answered that it waits, of a program that has no slot yet', async () => {
    const { requests, answers } = await asked([['spawn', 'late']], {
      spawn: async ({ name }) => ({ agentId: name, operationId: undefined, isWaiting: true }),
    });

    await requests.take();
    await requests.settled();

    expect(await answers()).toMatchObject([
      { kind: 'ack', body: expect.stringMatching(/^WAITING: late\n/) },
    ]);
  });

  test('that cannot be done are answered why, and hold up no others', async () => {
    const { requests, answers } = await asked(
      [
        ['spawn', 'missing'],
        ['spawn', 'there'],
      ],
      {
        spawn: async ({ name }) => {
          if (name === 'there') return { agentId: name, operationId: undefined, pid: 7 };
          throw new AosError('program.missing', { message: 'There is no such program' });
        },
      },
    );

    await requests.take();
    await requests.settled();

    expect(await answers()).toMatchObject([
      { kind: 'nack', body: expect.stringContaining('CODE: program.missing') },
      { kind: 'ack', body: 'STARTED: there\nPID: 7\n' },
    ]);
  });

  test('count for what their sender works on, also when the clock was put back', async () => {
    const counted: unknown[] = [];
    const { requests, ledger, clock } = await asked([], {
      spawn: async ({ name, countsFor }) => {
        counted.push(countsFor);
        return { agentId: name, operationId: undefined };
      },
    });
    const goal = { text: 'work', owner: 'owner' };
    const at = clock.now();
    const jean = { name: 'jean', registered_at: at, status: 'active', body: 'model' } as const;
    await ledger.transact(async (tx) => {
      await insertAgent(tx, { ...jean, state: 'running' });
      await enqueue(tx, { id: 'a1', goal, agent: 'jean', because: 'it was named', at });
      await claimOperation(tx, 'a1', at);
    });

    clock.jump(-3_600_000);
    await ledger.transact(async (tx) => {
      const payload = { name: 'sam', by: 'jean', message_id: 'm1', cli: 'true', env: {} };
      await addPendingOperation(tx, { type: 'spawn', payload, at: clock.now() });
    });
    await clock.advance(10);
    await requests.take();
    await requests.settled();

    expect(counted).toEqual([['operation:a1']]);
  });
});
