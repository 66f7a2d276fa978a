import { describe, expect, test } from 'vitest';
import {
  type TemporaryTools,
  temporaryTools,
  testTool,
} from '../../tests/support/temporary-tools.ts';
import { until } from '../../tests/support/until.ts';
import type { AnswerRequest } from './answer.ts';

const jean = 'agent:jean';
const once: AnswerRequest['verdict'] = { kind: 'approve', scope: 'once' };
const always: AnswerRequest['verdict'] = { kind: 'approve', scope: 'always' };

let runs = 0;
const counting = () => testTool('test.do', async () => ++runs);

/** Jean may call, but has to ask. */
async function asking(): Promise<TemporaryTools & { readonly grant: string }> {
  runs = 0;
  const home = await temporaryTools();
  home.tools.register(counting());
  const { id } = await home.capabilities.grant(
    { agent: 'jean', capability: 'tool:*:call', asks: true },
    'owner',
  );
  return { ...home, grant: id };
}

const call = ({ calls }: TemporaryTools, name = 'x') =>
  calls.call({ principal: jean, tool: 'test.do', args: { name } });

async function waiting(home: TemporaryTools) {
  const [approval] = (await home.approvals()).filter(({ state }) => state === 'waiting');
  if (approval === undefined) throw new Error('nothing waits');
  return approval;
}

async function answer(
  home: TemporaryTools,
  verdict: AnswerRequest['verdict'],
  more: Partial<AnswerRequest> = {},
) {
  const { id, hash } = await waiting(home);
  return home.calls.answer({ id, hash, by: 'owner', verdict, ...more });
}

const answered = (home: TemporaryTools, id: string) =>
  until(async () => expect((await home.call(id))?.state).toBe('answered'));

/** The codes of the answers that were refused. */
const refusals = async (home: TemporaryTools) =>
  (await home.events('approval.refused')).map(({ data }) => JSON.parse(data).code);

test('a call under a grant that asks waits, and a human is told what for', async () => {
  const home = await asking();

  const outcome = await call(home);

  const approval = await waiting(home);
  expect(outcome.kind).toBe('waiting');
  expect(runs).toBe(0);
  expect(approval.shown).toContain('WHO: agent:jean\nTOOL: test.do (external)');
  expect(approval.shown).toContain('WANTS: "tool:x:call"');
  expect(home.notes).toMatchObject([{ to: 'owner', body: expect.stringContaining(approval.hash) }]);
  expect(await home.events('approval.asked')).toHaveLength(1);
});

test('approved once, it runs once, and whoever asked is told the end', async () => {
  const home = await asking();
  const { callId } = await call(home);

  await answer(home, once);
  await answered(home, callId);
  const next = await call(home);

  expect(runs).toBe(1);
  expect(next.kind).toBe('waiting');
  await until(() =>
    expect(home.notes.filter(({ to }) => to === jean)).toMatchObject([
      { body: expect.stringContaining(`CALL: ${callId}`) },
    ]),
  );
});

test('approved always, the same call is not asked again, and any other is', async () => {
  const home = await asking();
  const { callId } = await call(home);

  await answer(home, always);
  await answered(home, callId);
  const [same, other] = [await call(home), await call(home, 'y')];

  expect(same.kind).toBe('answered');
  expect(other.kind).toBe('waiting');
});

test('what was approved always ends with the grant that it was asked under', async () => {
  const home = await asking();
  const { callId } = await call(home);
  await answer(home, always);
  await answered(home, callId);

  await home.capabilities.revoke(home.grant, 'owner');

  expect(await call(home)).toMatchObject({ error: { code: 'capability.denied' } });
});

test('denied, it never runs, and the reason reaches whoever asked', async () => {
  const home = await asking();
  const { callId } = await call(home);

  await answer(home, { kind: 'deny', reason: 'not today' });

  expect(runs).toBe(0);
  expect(await home.calls.outcome(callId)).toMatchObject({
    kind: 'failed',
    error: { code: 'approval.denied', message: 'A human has denied the call: not today' },
  });
  expect(home.notes.at(-1)).toMatchObject({ to: jean, body: expect.stringContaining('not today') });
});

test('a tool itself can ask, whatever the grant says; what was approved always satisfies it', async () => {
  const home = await temporaryTools();
  home.tools.register(testTool('test.do', async () => 1, { asks: () => 'it costs money' }));
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call' }, 'owner');
  const { callId } = await call(home);
  const approval = await waiting(home);

  await answer(home, always);
  await answered(home, callId);

  expect(approval.reason).toBe('it costs money');
  expect((await call(home)).kind).toBe('answered');
});

test('the owner is not asked', async () => {
  const home = await asking();

  const outcome = await home.calls.call({ principal: 'owner', tool: 'test.do', args: {} });

  expect(outcome.kind).toBe('answered');
});

describe('nobody answers but a human:', () => {
  test.each([['agent:jean'], ['agent:sam'], ['nobody']])(
    '%s may not, and it is on record',
    async (by) => {
      const home = await asking();
      await call(home);

      await expect(answer(home, once, { by })).rejects.toMatchObject({
        code: 'approval.not-yours',
      });

      expect((await waiting(home)).state).toBe('waiting');
      expect(await home.events('approval.refused')).toMatchObject([
        { actor: by, data: '{"code":"approval.not-yours"}' },
      ]);
    },
  );

  test('an agent that was granted it by name is still none', async () => {
    const home = await asking();
    await home.capabilities.grant(
      { agent: 'sam', capability: 'tool:approval.answer:call' },
      'owner',
    );
    await call(home);

    await expect(answer(home, once, { by: 'agent:sam' })).rejects.toMatchObject({
      code: 'approval.not-yours',
    });
  });

  test('another human may with the grant, and not without', async () => {
    const home = await asking();
    await home.ledger.transact(async (tx) => {
      await tx.run(
        `insert into principals (id, kind, address, public_key, created_at)
         values ('human:ann', 'human', '0x1', '0x2', 0)`,
      );
    });
    await call(home);
    const before = answer(home, once, { by: 'human:ann' });
    await expect(before).rejects.toMatchObject({ code: 'approval.not-yours' });
    await home.grants.change((_tx, changes) =>
      changes.give({
        ...{ principal: 'human:ann', capability: 'tool:approval.answer:call', parent: null },
        ...{ granted_by: 'owner', origin: 'owner', asks: 0 },
      }),
    );

    const answered = await answer(home, once, { by: 'human:ann' });

    expect(answered.state).toBe('started');
  });
});

describe('an answer is refused, which is on record,', () => {
  test('to anything but what was shown', async () => {
    const home = await asking();
    await call(home);

    const other = answer(home, once, { hash: '0'.repeat(64) });

    await expect(other).rejects.toMatchObject({ code: 'approval.changed' });
    expect(await refusals(home)).toEqual(['approval.changed']);
  });

  test('when somebody put other arguments under it', async () => {
    const home = await asking();
    await call(home);
    await home.ledger.transact(async (tx) => {
      await tx.run(`update journal set arguments = '{"name":"evil"}'`);
    });

    await expect(answer(home, once)).rejects.toMatchObject({ code: 'approval.changed' });
    expect(runs).toBe(0);
    expect(await refusals(home)).toEqual(['approval.changed']);
  });

  test('a second time', async () => {
    const home = await asking();
    await call(home);
    const { id, hash } = await waiting(home);
    const say = () => home.calls.answer({ id, hash, by: 'owner', verdict: once });

    const both = await Promise.allSettled([say(), say()]);

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(say()).rejects.toMatchObject({ code: 'approval.answered' });
    await until(() => expect(runs).toBe(1));
    expect(await refusals(home)).toEqual(['approval.answered', 'approval.answered']);
  });

  test('when its time is over, also while nobody has noticed', async () => {
    const home = await asking();
    const { callId } = await call(home);
    const { id, hash, expires_at } = await waiting(home);
    await home.clock.advance(24 * 3_600_000);

    const late = home.calls.answer({ id, hash, by: 'owner', verdict: once });

    expect(expires_at).toBe(home.clock.now());
    await expect(late).rejects.toMatchObject({ code: 'approval.answered' });
    expect(await refusals(home)).toEqual(['approval.answered']);
    await home.calls.expire(id);
    expect(await home.calls.outcome(callId)).toMatchObject({ error: { code: 'approval.expired' } });
    expect(await home.events('approval.expired')).toHaveLength(1);
  });
});

test('a yes to what was revoked meanwhile runs nothing', async () => {
  const home = await asking();
  const { callId } = await call(home);
  await home.capabilities.revoke(home.grant, 'owner');

  await answer(home, once);

  expect(runs).toBe(0);
  expect(await home.calls.outcome(callId)).toMatchObject({ error: { code: 'capability.denied' } });
});

test('waiting survives a restart', async () => {
  const first = await asking();
  const { callId } = await call(first);
  const next = first.restart();
  next.tools.register(counting());

  await answer(next, once);

  await answered(next, callId);
  expect(runs).toBe(1);
});
