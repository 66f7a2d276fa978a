import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { until } from '../../../tests/support/until.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beginRequest } from '../../ledger/security/seen-requests.ts';
import {
  forgetOldKeys,
  Idempotency,
  type IdempotencyDeps,
  longestAnswerBytes,
  mostKeys,
} from './idempotency.ts';

const request = {
  principal: 'agent:jean',
  key: 'once',
  method: 'POST',
  url: '/api/v1/x?a=1',
  body: { b: 1, c: [2] },
};
const done = { status: 201, answer: '{"made":1}' };

async function world() {
  const home = await temporaryLedger();
  const logged: object[] = [];
  const log = (facts: object): void => void logged.push(facts);
  const clock = new SimulatedClock();
  const deps: IdempotencyDeps = {
    ledger: home.ledger,
    clock,
    log: { info: log, warn: log, error: log },
    epoch: 1,
    owner: { sign: (text) => `signed ${text}` },
  };
  let actions = 0;
  const action = async () => {
    actions++;
    return done;
  };
  return {
    ...{ deps, clock, ledger: home.ledger, logged, action, idempotency: new Idempotency(deps) },
    actions: () => actions,
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

function rows(ledger: Ledger) {
  return ledger.committed.all<{ key: string; status: number | null; answer: string | null }>(
    'select key, status, answer from idempotent_requests order by key',
  );
}

/** It takes one transaction, and then no more. */
function thatFillsUp(ledger: Ledger): IdempotencyDeps['ledger'] {
  let hasRoom = true;
  return {
    committed: ledger.committed,
    transact: (work) => {
      if (!hasRoom) return Promise.reject(new Error('the disk is full'));
      hasRoom = false;
      return ledger.transact(work);
    },
  };
}

test('the same request with the same key is done once, and told again', async () => {
  await using here = await world();

  const first = await here.idempotency.once(request, here.action);
  const again = await here.idempotency.once({ ...request, body: { c: [2], b: 1 } }, here.action);

  expect(first).toEqual({ kind: 'done', outcome: done });
  expect(again).toEqual({ kind: 'replayed', outcome: done });
  expect(here.actions()).toBe(1);
});

test('also for a process that comes after', async () => {
  await using here = await world();
  await here.idempotency.once(request, here.action);

  const again = await new Idempotency({ ...here.deps, epoch: 2 }).once(request, here.action);

  expect(again).toEqual({ kind: 'replayed', outcome: done });
});

test.each([
  ['method', { method: 'DELETE' }],
  ['address', { url: '/api/v1/x?a=2' }],
  ['body', { body: { b: 1, c: [3] } }],
  ['absence of a body', { body: undefined }],
])('another %s with the same key is refused, and not done', async (_what, change) => {
  await using here = await world();
  await here.idempotency.once(request, here.action);

  const attempt = here.idempotency.once({ ...request, ...change }, here.action);

  await expect(attempt).rejects.toMatchObject({
    code: 'gateway.key-reused',
    details: { state: 'other-request' },
  });
  expect(here.actions()).toBe(1);
});

test('keys of one principal are nothing to another, also where their names could be mixed up', async () => {
  await using here = await world();
  const twins = [
    { principal: 'agent:a', key: 'b c' },
    { principal: 'agent:a b', key: 'c' },
    { principal: 'owner', key: 'b c' },
  ];

  for (const twin of twins) await here.idempotency.once({ ...request, ...twin }, here.action);

  expect(here.actions()).toBe(3);
});

test('the row is on disk before the action, and its end before the answer', async () => {
  await using here = await world();
  const seen: unknown[] = [];

  await here.idempotency.once(request, async () => {
    seen.push(await rows(here.ledger));
    return done;
  });

  expect(seen).toEqual([[{ key: 'once', status: null, answer: null }]]);
  expect(await rows(here.ledger)).toEqual([{ key: 'once', ...done }]);
});

test('while one is under way the others are told so, and it is done once', async () => {
  await using here = await world();
  const { promise, resolve } = Promise.withResolvers<typeof done>();
  const slow = here.idempotency.once(request, () => promise);

  const others = await Promise.allSettled([
    here.idempotency.once(request, here.action),
    here.idempotency.once(request, here.action),
    here.idempotency.once({ ...request, url: '/other' }, here.action),
  ]);
  resolve(done);

  expect(others).toMatchObject([
    { reason: { code: 'gateway.key-busy', details: { state: 'running' } } },
    { reason: { code: 'gateway.key-busy', details: { state: 'running' } } },
    { reason: { code: 'gateway.key-reused', details: { state: 'other-request' } } },
  ]);
  expect(await slow).toEqual({ kind: 'done', outcome: done });
  expect(here.actions()).toBe(0);
});

test('of fifty at once one is done', async () => {
  await using here = await world();

  const all = await Promise.allSettled(
    Array.from({ length: 50 }, () => here.idempotency.once(request, here.action)),
  );

  expect(here.actions()).toBe(1);
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('what was left behind by a process that died is not done again, in words of its own', async () => {
  await using here = await world();
  const dying = new Idempotency(here.deps);
  // It never ends, as that of a process that was killed.
  void dying.once(request, () => new Promise<typeof done>(() => {}));
  await until(async () => expect(await rows(here.ledger)).toHaveLength(1));

  const attempt = here.idempotency.once(request, here.action);

  await expect(attempt).rejects.toMatchObject({
    code: 'gateway.key-busy',
    message: expect.stringContaining('whether it was done is unknown'),
    details: { state: 'unknown' },
  });
  expect(here.actions()).toBe(0);
});

test('what throws frees its key', async () => {
  await using here = await world();
  const broken = here.idempotency.once(request, () => Promise.reject(new Error('no disk')));
  await expect(broken).rejects.toThrow('no disk');

  expect(await rows(here.ledger)).toEqual([]);
  expect(await here.idempotency.once(request, here.action)).toMatchObject({ kind: 'done' });
});

test('a key that cannot be freed does not hide what failed', async () => {
  await using here = await world();
  const ledger = thatFillsUp(here.ledger);
  const idempotency = new Idempotency({ ...here.deps, ledger });

  const attempt = idempotency.once(request, () => Promise.reject(new Error('the action failed')));

  await expect(attempt).rejects.toThrow('the action failed');
  expect(here.logged).toMatchObject([{ err: { message: 'the disk is full' } }]);
});

test('an end that cannot be written is not told, and not known afterwards', async () => {
  await using here = await world();
  const ledger = thatFillsUp(here.ledger);
  const idempotency = new Idempotency({ ...here.deps, ledger });

  await expect(idempotency.once(request, here.action)).rejects.toThrow('the disk is full');
  const again = idempotency.once(request, here.action);

  await expect(again).rejects.toMatchObject({ details: { state: 'unknown' } });
  expect(here.actions()).toBe(1);
});

test('an answer that is as long as may be is kept, and a longer one is not', async () => {
  await using here = await world();
  const answer = (sizeBytes: number) => ({ status: 200, answer: `"${'é'.repeat(sizeBytes)}"` });
  const short = answer(longestAnswerBytes / 2 - 1);
  const long = answer(longestAnswerBytes / 2);

  await here.idempotency.once({ ...request, key: 'short' }, async () => short);
  const first = await here.idempotency.once({ ...request, key: 'long' }, async () => long);
  const again = here.idempotency.once({ ...request, key: 'long' }, here.action);

  expect(first.outcome).toEqual(long);
  await expect(again).rejects.toMatchObject({
    code: 'gateway.key-reused',
    message: expect.stringContaining('was done already'),
    details: { state: 'done', status: 200 },
  });
  const kept = await here.idempotency.once({ ...request, key: 'short' }, here.action);
  expect(kept).toEqual({ kind: 'replayed', outcome: short });
});

test('an answer without content is told again, and one that is not kept is not', async () => {
  await using here = await world();
  const nothing = { status: 204, answer: null };
  const secret = { status: 201, answer: null };
  await here.idempotency.once({ ...request, key: 'nothing' }, async () => nothing);
  await here.idempotency.once({ ...request, key: 'secret' }, async () => secret);

  const again = await here.idempotency.once({ ...request, key: 'nothing' }, here.action);
  const shown = here.idempotency.once({ ...request, key: 'secret' }, here.action);

  expect(again).toEqual({ kind: 'replayed', outcome: nothing });
  await expect(shown).rejects.toMatchObject({ details: { state: 'done', status: 201 } });
});

test('nobody has more keys than may be, and those who have fewer do not suffer', async () => {
  await using here = await world();
  await here.ledger.transact(async (tx) => {
    for (let number = 0; number < mostKeys; number++) {
      const row = { principal: request.principal, key: `key ${number}`, digest: 'd' };
      await beginRequest(tx, { ...row, epoch: 1, at: 1 });
    }
  });

  const [full, other] = await Promise.allSettled([
    here.idempotency.once(request, here.action),
    here.idempotency.once({ ...request, principal: 'agent:sam' }, here.action),
  ]);

  const details = { retry_after_ms: 3_600_000 };
  expect(full).toMatchObject({ reason: { code: 'gateway.too-many', details } });
  expect(other).toMatchObject({ value: { kind: 'done' } });
});

test('keys are good for a day', async () => {
  await using here = await world();
  await here.ledger.transact(async (tx) => {
    for (let number = 0; number < 450; number++) {
      const row = { principal: 'owner', key: `old ${number}`, digest: 'd', epoch: 1 };
      await beginRequest(tx, { ...row, at: here.clock.now() });
    }
  });
  here.clock.jump(1);
  await here.idempotency.once(request, here.action);
  here.clock.jump(86_400_000);

  await forgetOldKeys(here.deps);

  expect(await rows(here.ledger)).toEqual([{ key: 'once', ...done }]);
});

test('a digest tells nothing to who has the ledger and not the key of the owner', async () => {
  await using here = await world();
  const digest = async (sign: (text: string) => string, key: string) => {
    const idempotency = new Idempotency({ ...here.deps, owner: { sign } });
    await idempotency.once({ ...request, key }, here.action);
    const row = await here.ledger.committed.get<{ digest: string }>(
      'select digest from idempotent_requests where key = $1',
      [key],
    );
    return row?.digest;
  };

  const one = await digest(() => 'one', 'k1');
  const other = await digest(() => 'other', 'k2');
  const same = await digest(() => 'one', 'k3');

  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(other).not.toBe(one);
  expect(same).toBe(one);
});

test('a body that is nested too deep is refused in words', async () => {
  await using here = await world();
  const body: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);

  const attempt = here.idempotency.once({ ...request, body }, here.action);

  await expect(attempt).rejects.toMatchObject({ code: 'gateway.bad-request' });
});
