import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { anyAction, anyCapability } from '../../../tests/support/capability-arbitrary.ts';
import { times } from '../../../tests/support/tier.ts';
import { type Action, decide } from '../../kernel/capability/capability.ts';
import { printCapability } from '../../kernel/capability/capability-text.ts';
import type { GrantRow } from '../../ledger/security/grants.ts';
import { Grants } from './grants.ts';

const jean = 'agent:jean';
const sending: Action = { resource: 'message', action: 'send', name: 'sam' };

interface World {
  readonly ledger: SimulatedLedger;
  readonly clock: SimulatedClock;
  readonly grants: Grants;
  give(principal: string, capability: string, parent?: string): Promise<GrantRow>;
  revoke(id: string): Promise<unknown>;
  /** Decides and uses, as one transaction. */
  use(principal: string, action?: Action): Promise<'allowed' | 'denied'>;
}

async function world(): Promise<World> {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  const grants = new Grants({ ledger, clock, random: seededRandom('grants') });
  return {
    ...{ ledger, clock, grants },
    give: (principal, capability, parent) =>
      grants.change((_tx, changes) =>
        changes.give({
          ...{ principal, capability, parent: parent ?? null, granted_by: 'owner' },
          ...{ origin: parent === undefined ? 'owner' : 'delegation', asks: 0 },
        }),
      ),
    revoke: (id) => grants.change((_tx, changes) => changes.revoke(id), [id]),
    use: (principal, action = sending) =>
      ledger.transact(async (tx) => {
        const decision = await grants.decide(tx, principal, action);
        if (decision.kind === 'denied') return 'denied';
        return (await grants.use(tx, [decision.grant])) === undefined ? 'allowed' : 'denied';
      }),
  };
}

test('the owner and the system need no grant, and whoever holds none may nothing', async () => {
  const { grants, ledger } = await world();
  const answers = await Promise.all(
    ['owner', 'system', jean].map((who) => grants.decide(ledger.committed, who, sending)),
  );

  expect(answers.map(({ kind }) => kind)).toEqual(['allowed', 'allowed', 'denied']);
});

test('what is found among many grants is what looking at each of them would find', async () => {
  const some = ['file', 'http', 'tool', 'shell'] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCapability(some), { maxLength: 12 }),
      anyAction(some),
      fc.boolean(),
      async (held, action, isKnown) => {
        const { grants, ledger, clock, give } = await world();
        // Then each is added to what is in memory; else all are read at once.
        if (isKnown) await grants.decide(ledger.committed, jean, action);
        // What is counted may be used up from the start (max:0), which a look does not see.
        const given = held.map((capability) => {
          const { allowlist } = capability.constraints;
          return { ...capability, constraints: allowlist === undefined ? {} : { allowlist } };
        });
        for (const capability of given) await give(jean, printCapability(capability));
        const chains = given.map((capability, index) => {
          const id = String(index);
          return { id, links: [{ id, capability, revoked: false }] };
        });

        const found = await grants.decide(ledger.committed, jean, action);

        expect(found.kind).toBe(decide(chains, action, clock.now()).kind);
      },
    ),
    { numRuns: times({ fast: 80, full: 400 }) },
  );
});

test('a path with a star in its name is that one program, among many grants too', async () => {
  const { give, use } = await world();
  await give(jean, 'shell:/workspace/a.%2A:execute');
  const run = (name: string) => use(jean, { resource: 'shell', action: 'execute', name });

  const answers = [await run('/workspace/a.*'), await run('/workspace/a.sh'), await run('a.*')];

  expect(answers).toEqual(['allowed', 'denied', 'denied']);
});

describe('a revocation', () => {
  test('of a grant counts at once, and of one above it too', async () => {
    const { grants, ledger, give, revoke } = await world();
    const top = await give(jean, 'message:*:send');
    const middle = await give('agent:sam', 'message:*:send', top.id);
    await give('agent:kim', 'message:sam:send', middle.id);
    const ask = async (who: string) => (await grants.decide(ledger.committed, who, sending)).kind;
    const before = [await ask(jean), await ask('agent:sam'), await ask('agent:kim')];

    await revoke(middle.id);
    const between = [await ask(jean), await ask('agent:sam'), await ask('agent:kim')];
    await revoke(top.id);
    const after = [await ask(jean), await ask('agent:sam'), await ask('agent:kim')];

    expect(before).toEqual(['allowed', 'allowed', 'allowed']);
    expect(between).toEqual(['allowed', 'denied', 'denied']);
    expect(after).toEqual(['denied', 'denied', 'denied']);
  });

  test('that stands before a decision in the same flush counts for it', async () => {
    const { give, revoke, use } = await world();
    const { id } = await give(jean, 'message:*:send');
    await use(jean);

    const revoking = revoke(id);
    const answer = await use(jean);
    await revoking;

    expect(answer).toBe('denied');
  });

  test('that fails takes nothing back', async () => {
    const { ledger, grants, give } = await world();
    const { id } = await give(jean, 'message:*:send');

    const failing = grants.change(
      async (_tx, changes) => {
        await changes.revoke(id);
        throw new Error('the caller thinks better of it');
      },
      [id],
    );

    await expect(failing).rejects.toThrow('thinks better');
    expect((await grants.decide(ledger.committed, jean, sending)).kind).toBe('allowed');
  });

  test('is told to those who listen, when it is in force', async () => {
    const { ledger, grants, give, revoke } = await world();
    const { id } = await give(jean, 'message:*:send');
    const seen: Promise<{ kind: string }>[] = [];
    using _listening = grants.onRevoked(
      () => void seen.push(grants.decide(ledger.committed, jean, sending)),
    );

    await revoke(id);

    expect((await Promise.all(seen)).map(({ kind }) => kind)).toEqual(['denied']);
  });
});

describe('counted uses', () => {
  test('of ten at once under max:3 are three', async () => {
    const { give, use } = await world();
    await give(jean, 'message:*:send{max:3}');

    const answers = await Promise.all(Array.from({ length: 10 }, () => use(jean)));

    expect(answers.filter((answer) => answer === 'allowed')).toHaveLength(3);
  });

  test('of ten at once over a tree of delegations are those of its root', async () => {
    const { give, use } = await world();
    const top = await give(jean, 'message:*:send{max:3}');
    const names = ['agent:a', 'agent:b', 'agent:c'];
    for (const name of names) {
      const child = await give(name, 'message:*:send{max:3}', top.id);
      await give(`${name}x`, 'message:sam:send{max:3}', child.id);
    }
    const users = [jean, ...names, ...names.map((name) => `${name}x`), ...names];

    const answers = await Promise.all(users.map((user) => use(user)));

    expect(users).toHaveLength(10);
    expect(answers.filter((answer) => answer === 'allowed')).toHaveLength(3);
  });

  test('go by the narrowest link, and leave the wider ones what is left', async () => {
    const { give, use } = await world();
    const top = await give(jean, 'message:*:send{max:5}');
    await give('agent:a', 'message:*:send{max:2}', top.id);

    const child = [await use('agent:a'), await use('agent:a'), await use('agent:a')];
    const parent = [await use(jean), await use(jean), await use(jean), await use(jean)];

    expect(child).toEqual(['allowed', 'allowed', 'denied']);
    expect(parent).toEqual(['allowed', 'allowed', 'allowed', 'denied']);
  });

  test('by a rate are allowed again when the time has passed', async () => {
    const { give, use, clock } = await world();
    await give(jean, 'message:*:send{rate:2/min}');

    const first = [await use(jean), await use(jean), await use(jean)];
    await clock.advance(61_001);
    const later = await use(jean);

    expect(first).toEqual(['allowed', 'allowed', 'denied']);
    expect(later).toBe('allowed');
  });

  test('of a grant that is counted are spared where another one allows the same', async () => {
    const { ledger, give, use } = await world();
    const { id } = await give(jean, 'message:*:send{max:1}');
    await give(jean, 'message:sam:send');

    const answers = [await use(jean), await use(jean)];

    const row = await ledger.committed.get<{ uses: number }>(
      'select uses from grants where id = $1',
      [id],
    );
    expect(answers).toEqual(['allowed', 'allowed']);
    expect(row?.uses).toBe(0);
  });

  test('are remembered by the next process', async () => {
    const { ledger, clock, give, use } = await world();
    await give(jean, 'message:*:send{max:1}');
    await use(jean);

    const next = new Grants({ ledger, clock, random: seededRandom('next') });
    const decision = await next.decide(ledger.committed, jean, sending);

    expect(decision).toMatchObject({ kind: 'denied', nearest: { why: 'used-up' } });
  });
});

test('a grant ends at its moment, and with it what was delegated from it', async () => {
  const { grants, ledger, clock, give } = await world();
  const expires = new Date(clock.now() + 60_000).toISOString().replace('.000Z', 'Z');
  const top = await give(jean, `message:*:send{expires:${expires}}`);
  await give('agent:sam', `message:*:send{expires:${expires}}`, top.id);
  const before = await grants.decide(ledger.committed, 'agent:sam', sending);

  await clock.advance(60_000);
  const after = await grants.decide(ledger.committed, 'agent:sam', sending);

  expect(before.kind).toBe('allowed');
  expect(after).toMatchObject({ kind: 'denied', nearest: { why: 'expired' } });
});

test('a grant that is given later is found, also by somebody who was asked for before', async () => {
  const { use, give } = await world();
  const before = await use(jean);

  const top = await give(jean, 'message:*:send');
  const own = await use(jean);
  await give('agent:sam', 'message:*:send', top.id);

  expect([before, own, await use('agent:sam')]).toEqual(['denied', 'allowed', 'allowed']);
});

test('what was delegated is revoked with its parent, row by row, and is not read again', async () => {
  const { ledger, give, revoke, grants } = await world();
  const top = await give(jean, 'message:*:send');
  const middle = await give('agent:sam', 'message:*:send', top.id);
  await give('agent:kim', 'message:sam:send', middle.id);
  const other = await give('agent:kim', 'message:*:send');

  const answer = await revoke(top.id);

  const live = await ledger.committed.all<{ id: string }>(
    'select id from grants where revoked_at is null',
  );
  expect(answer).toEqual({ isNew: true, below: 2 });
  expect(live).toEqual([{ id: other.id }]);
  expect((await grants.decide(ledger.committed, 'agent:kim', sending)).kind).toBe('allowed');
  expect(await revoke(top.id)).toEqual({ isNew: false, below: 0 });
});

describe('memory follows the rows:', () => {
  test('what a run that was rolled back had noted was never given', async () => {
    const { ledger, grants } = await world();
    let runs = 0;
    const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
    await grants.decide(ledger.committed, jean, sending);

    // The other closure throws, so that both are run again.
    const giving = grants.change(async (_tx, changes) => {
      runs++;
      const capability = runs === 1 ? 'message:*:send' : 'message:kim:send';
      await changes.give({ principal: jean, capability, ...facts });
    });
    const failing = ledger.transact(() => Promise.reject(new Error('no')));
    await Promise.allSettled([giving, failing]);

    expect(runs).toBe(2);
    expect((await grants.decide(ledger.committed, jean, sending)).kind).toBe('denied');
  });

  test('what is given while it is read for the first time is found', async () => {
    const { ledger, clock, give } = await world();
    const gate = Promise.withResolvers<void>();
    const slow: typeof ledger.committed = {
      all: async (text, parameters) => {
        const rows = await ledger.committed.all<never>(text, parameters);
        await gate.promise;
        return rows;
      },
      get: (text, parameters) => ledger.committed.get(text, parameters),
      run: (text, parameters) => ledger.committed.run(text, parameters),
    };
    const transact: typeof ledger.transact = (work) => ledger.transact(work);
    const random = seededRandom('slow');
    const grants = new Grants({ ledger: { transact, committed: slow }, clock, random });
    await give('agent:sam', 'message:*:send');

    const reading = grants.decide(slow, jean, sending);
    const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
    await grants.change((_tx, changes) =>
      changes.give({ principal: jean, capability: 'message:*:send', ...facts }),
    );
    gate.resolve();

    expect((await reading).kind).toBe('allowed');
    expect((await grants.decide(slow, jean, sending)).kind).toBe('allowed');
  });

  test('to count what was used up meanwhile says so, and counts nothing', async () => {
    const { ledger, grants, give } = await world();
    const { id } = await give(jean, 'message:*:send{max:1}');

    const spent = await ledger.transact(async (tx) => {
      const decision = await grants.decide(tx, jean, sending);
      const grant = decision.kind === 'allowed' ? decision.grant : undefined;
      await grants.use(tx, [grant]);
      return grants.use(tx, [grant]);
    });

    const row = await ledger.committed.get('select uses from grants where id = $1', [id]);
    expect(spent?.id).toBe(id);
    expect(row).toEqual({ uses: 1 });
  });
});

test('thousands that were revoked do not slow down those that are left', async () => {
  const { grants, ledger, give, use } = await world();
  const dead = await Promise.all(
    Array.from({ length: 300 }, () => give(jean, 'message:sam:send{max:9}')),
  );
  await use(jean);
  const ids = dead.map(({ id }) => id);
  await grants.change(async (_tx, changes) => {
    for (const id of ids) await changes.revoke(id);
  }, ids);
  await give(jean, 'message:*:send{max:9}');

  const answers = [await use(jean), await use(jean)];

  expect(answers).toEqual(['allowed', 'allowed']);
  expect((await grants.decide(ledger.committed, jean, sending)).kind).toBe('allowed');
});
