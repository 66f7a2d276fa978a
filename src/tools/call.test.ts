import { describe, expect, test } from 'vitest';
import { temporaryTools, testTool, toolAction } from '../../tests/support/temporary-tools.ts';
import { until } from '../../tests/support/until.ts';
import { AosError } from '../kernel/errors.ts';
import { changeStatus } from '../ledger/agents.ts';

const jean = 'agent:jean';

async function withTool(
  run: Parameters<typeof testTool>[1],
  choices: Parameters<typeof testTool>[2] = {},
) {
  const home = await temporaryTools({ outputBytes: 10_000 });
  home.tools.register(testTool('test.do', run, choices));
  const call = (args: unknown = { name: 'x' }, more: object = {}) =>
    home.calls.call({ principal: jean, tool: 'test.do', args, ...more });
  return { ...home, doIt: call };
}

test('a call is written down as started before the tool runs, and as answered after it', async () => {
  const states: (string | undefined)[] = [];
  const home = await withTool(async (_args, { id }) => {
    states.push((await home.call(id))?.state);
    return { fine: true };
  });
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

  const outcome = await home.doIt();

  expect(outcome).toMatchObject({ kind: 'answered', output: { fine: true }, tool: 'test.do' });
  expect(states).toEqual(['started']);
  expect(await home.call(outcome.callId)).toMatchObject({ state: 'answered', runs: 1 });
  const [started, answered] = await home.events('tool.%');
  expect(started).toMatchObject({ kind: 'tool.started', actor: jean, subject: 'tool:test.do' });
  expect(JSON.parse(started?.data ?? '')).toMatchObject({
    resources: ['tool:x:call'],
    grants: [expect.stringMatching(/^[0-9a-f]{32}$/)],
  });
  expect(answered?.kind).toBe('tool.answered');
});

describe('what is refused is not run:', () => {
  const never = async () => {
    throw new Error('it was run');
  };

  test('a tool that there is not, with the one that was perhaps meant', async () => {
    const home = await withTool(never);

    const calling = home.calls.call({ principal: jean, tool: 'test.doo', args: {} });

    await expect(calling).rejects.toMatchObject({
      code: 'tool.unknown',
      message: expect.stringContaining('test.do'),
    });
  });

  test.each([[{ name: 5 }], [{ nme: 'x' }], ['x'], [null], [[]]])(
    'the arguments %j',
    async (args) => {
      const home = await withTool(never);

      await expect(home.doIt(args)).rejects.toMatchObject({ code: 'tool.bad-arguments' });
    },
  );

  test('a call without the grant, which is on record with what is missing', async () => {
    const home = await withTool(never);

    const outcome = await home.doIt();

    expect(outcome).toMatchObject({
      kind: 'failed',
      error: {
        code: 'capability.denied',
        message: 'Agent "jean" lacks the capability tool:x:call',
        fix: "aos cap grant jean 'tool:x:call'",
      },
    });
    expect(await home.call(outcome.callId)).toMatchObject({ state: 'failed', runs: 0 });
    expect(await home.events('capability.denied')).toMatchObject([
      { actor: jean, subject: 'tool:x:call' },
    ]);
  });

  test('a call of two actions of which only the first is granted', async () => {
    const home = await withTool(never, { actions: () => [toolAction('x'), toolAction('y')] });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

    const outcome = await home.doIt();

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'capability.denied' } });
    expect(await home.events('capability.denied')).toMatchObject([
      { actor: jean, subject: 'tool:y:call' },
    ]);
  });

  test('a call of an agent that was terminated', async () => {
    const home = await withTool(never);
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call' }, 'owner');
    await home.ledger.transact((tx) =>
      changeStatus(tx, 'jean', { from: 'active', to: 'terminated' }),
    );

    const outcome = await home.doIt();

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'capability.denied' } });
    expect(await home.events('capability.denied')).toHaveLength(1);
  });
});

test('of ten calls at once under max:3 three run, also over a tree of delegations', async () => {
  let runs = 0;
  const home = await withTool(async () => {
    runs++;
  });
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call{max:3}' }, 'owner');
  for (const to of ['sam', 'kim']) {
    const delegation = { from: 'jean', agent: to, capability: 'tool:x:call' };
    await home.capabilities.delegate(delegation, jean);
  }
  const principals = Array.from({ length: 10 }, (_, i) => `agent:${['jean', 'sam', 'kim'][i % 3]}`);

  const outcomes = await Promise.all(
    principals.map((principal) =>
      home.calls.call({ principal, tool: 'test.do', args: { name: 'x' } }),
    ),
  );

  expect(runs).toBe(3);
  expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(3);
  const codes = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed' ? [outcome.error.code] : [],
  );
  expect(new Set(codes)).toEqual(new Set(['capability.used-up']));
});

describe('a call that is made again under its key', () => {
  test('is answered as before and not run', async () => {
    let runs = 0;
    const home = await withTool(async () => ++runs);
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

    const first = await home.doIt({ name: 'x' }, { key: 'k' });
    const second = await home.doIt({ name: 'x' }, { key: 'k' });

    expect(second).toEqual(first);
    expect(runs).toBe(1);
  });

  test('while it runs waits for the same end', async () => {
    let runs = 0;
    const gate = Promise.withResolvers<string>();
    const home = await withTool(async () => {
      runs++;
      return gate.promise;
    });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

    const both = [home.doIt({ name: 'x' }, { key: 'k' }), home.doIt({ name: 'x' }, { key: 'k' })];
    gate.resolve('once');
    const outcomes = await Promise.all(both);

    expect(runs).toBe(1);
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['answered', 'answered']);
  });

  test('with other arguments is refused', async () => {
    const home = await withTool(async () => 1);
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call' }, 'owner');
    await home.doIt({ name: 'x' }, { key: 'k' });

    const other = home.doIt({ name: 'y' }, { key: 'k' });

    await expect(other).rejects.toMatchObject({ code: 'tool.key-used' });
  });

  test('after it was denied is made, once it is allowed', async () => {
    const home = await withTool(async () => 1);
    const denied = await home.doIt({ name: 'x' }, { key: 'k' });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

    const again = await home.doIt({ name: 'x' }, { key: 'k' });

    expect([denied.kind, again.kind]).toEqual(['failed', 'answered']);
  });

  test('by somebody else is another call', async () => {
    let runs = 0;
    const home = await withTool(async () => ++runs);
    for (const agent of ['jean', 'sam']) {
      await home.capabilities.grant({ agent, capability: 'tool:x:call' }, 'owner');
    }
    await home.doIt({ name: 'x' }, { key: 'k' });

    await home.calls.call({ principal: 'agent:sam', tool: 'test.do', args: {}, key: 'k' });

    expect(runs).toBe(2);
  });
});

describe('a running call is ended', () => {
  test.each([
    ['by the limit for all', 'tool:x:call', {}, 120_000],
    ['by what the caller said', 'tool:x:call', { timeoutMs: 50 }, 50],
    ['by the timeout of its grant', 'tool:x:call{timeout:2s}', {}, 2000],
  ])('%s, also when it does not listen', async (_why, capability, more, afterMs) => {
    const home = await withTool(() => new Promise(() => {}));
    await home.capabilities.grant({ agent: 'jean', capability }, 'owner');

    const calling = home.doIt({ name: 'x' }, more);
    await until(async () => expect(await home.events('tool.started')).toHaveLength(1));
    await home.clock.advance(afterMs - 1);
    const early = await home.events('tool.failed');
    await home.clock.advance(1);

    expect(early).toEqual([]);
    expect(await calling).toMatchObject({ kind: 'failed', error: { code: 'tool.timeout' } });
  });

  test.each([['itself'], ['parent'], ['grandparent']])(
    'when the grant is revoked: %s',
    async (which) => {
      const home = await withTool(
        (_args, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          ),
      );
      const whole = { capability: 'tool:x:call' };
      const top = await home.capabilities.grant({ agent: 'sam', ...whole }, 'owner');
      const middle = await home.capabilities.delegate(
        { from: 'sam', agent: 'kim', ...whole },
        'agent:sam',
      );
      const own = await home.capabilities.delegate(
        { from: 'kim', agent: 'jean', ...whole },
        'agent:kim',
      );
      const ends: unknown[] = [];
      home.doIt().then((outcome) => ends.push(outcome));
      await until(async () => expect(await home.events('tool.started')).toHaveLength(1));

      const id = { itself: own.id, parent: middle.id, grandparent: top.id }[which] ?? '';
      await home.capabilities.revoke(id, 'owner');

      await until(() => expect(ends).toHaveLength(1));
      const error = { code: 'capability.revoked', details: { grant: own.id } };
      expect(ends).toMatchObject([{ kind: 'failed', error }]);
      const [failed] = await home.events('tool.failed');
      expect(JSON.parse(failed?.data ?? '{}')).toMatchObject({ code: 'capability.revoked' });
    },
  );

  test.each([
    ['timeout', 'tool:other:call{timeout:2s}'],
    ['end', 'tool:other:call{expires:2030-01-01T00:00:02Z}'],
  ])('by the %s of a grant that it found on the way', async (_what, capability) => {
    const home = await withTool(async (_args, call) => {
      await call.permit(toolAction('other'));
      return new Promise(() => {});
    });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
    await home.capabilities.grant({ agent: 'jean', capability }, 'owner');
    const calling = home.doIt();
    await until(async () => expect(await home.events('capability.used')).toHaveLength(1));

    await home.clock.advance(2000);

    expect(await calling).toMatchObject({ error: { code: 'tool.timeout' } });
  });

  test('not by somebody who has delegated what it held anyway', async () => {
    const gate = Promise.withResolvers<string>();
    const home = await withTool(() => gate.promise);
    for (const agent of ['jean', 'sam']) {
      await home.capabilities.grant({ agent, capability: 'tool:x:call' }, 'owner');
    }
    const wanted = { from: 'sam', agent: 'jean', capability: 'tool:x:call' };
    const { id } = await home.capabilities.delegate(wanted, 'agent:sam');
    const calling = home.doIt();
    await until(async () => expect(await home.events('tool.started')).toHaveLength(1));

    await home.capabilities.revoke(id, 'agent:sam');
    gate.resolve('fine');

    expect((await calling).kind).toBe('answered');
  });

  test('when a grant is revoked that it found on the way', async () => {
    const home = await withTool(async (_args, call) => {
      await call.permit(toolAction('other'));
      return new Promise(() => {});
    });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
    const other = await home.capabilities.grant(
      { agent: 'jean', capability: 'tool:other:call' },
      'owner',
    );
    const calling = home.doIt();
    await until(async () => expect(await home.events('capability.used')).toHaveLength(1));

    await home.capabilities.revoke(other.id, 'owner');

    expect(await calling).toMatchObject({ error: { code: 'capability.revoked' } });
  });
});

test('what turns out on the way and would have to be approved is denied: nobody can be asked', async () => {
  const home = await withTool(async (_args, call) => {
    const may = await call.may(toolAction('other'));
    await call.permit(toolAction('other'));
    return may;
  });
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
  const asking = { agent: 'jean', capability: 'tool:other:call', asks: true };
  await home.capabilities.grant(asking, 'owner');

  expect(await home.doIt()).toMatchObject({
    kind: 'failed',
    error: { code: 'capability.denied', details: { why: 'asks' } },
  });
});

test('whether something may be done says no where a human would have to be asked', async () => {
  const home = await withTool((_args, call) => call.may(toolAction('other')));
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
  const asking = { agent: 'jean', capability: 'tool:other:call', asks: true };
  await home.capabilities.grant(asking, 'owner');

  expect(await home.doIt()).toMatchObject({ kind: 'answered', output: false });
});

test('a call of two actions under one grant is two uses, and one too many costs none', async () => {
  const two = { actions: () => [toolAction('x'), toolAction('y')] };
  const home = await withTool(async () => 1, two);
  const grant = { agent: 'jean', capability: 'tool:*:call{max:3}' };
  const { id } = await home.capabilities.grant(grant, 'owner');

  const outcomes = [await home.doIt(), await home.doIt()];

  const row = await home.ledger.committed.get('select uses from grants where id = $1', [id]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['answered', 'failed']);
  expect(row).toEqual({ uses: 2 });
});

test('what turns out on the way is asked for, counted and on record', async () => {
  const home = await withTool(async (_args, call) => {
    const may = [await call.may(toolAction('other')), await call.may(toolAction('third'))];
    await call.permit(toolAction('other'));
    await call.permit(toolAction('other'));
    return may;
  });
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:other:call{max:1}' }, 'owner');

  const outcome = await home.doIt();

  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'capability.used-up' } });
  expect(await home.events('capability.used')).toMatchObject([{ subject: 'tool:other:call' }]);
  expect(await home.events('capability.denied')).toMatchObject([{ subject: 'tool:other:call' }]);
});

describe('one agent cannot take all there is:', () => {
  test('calls beyond the limit are refused, until others are over', async () => {
    const gate = Promise.withResolvers<void>();
    const home = await temporaryTools({ mostRunning: 3 });
    home.tools.register(testTool('test.do', () => gate.promise));
    for (const agent of ['jean', 'sam']) {
      await home.capabilities.grant({ agent, capability: 'tool:*:call' }, 'owner');
    }
    const call = (principal: string) => home.calls.call({ principal, tool: 'test.do', args: {} });

    const first = [call(jean), call(jean), call(jean)];
    await expect(call(jean)).rejects.toMatchObject({ code: 'tool.too-many' });
    const others = call('agent:sam');
    gate.resolve();
    await Promise.all([...first, others]);

    expect((await call(jean)).kind).toBe('answered');
  });

  test('nor have a human asked without end', async () => {
    const home = await temporaryTools({ mostWaiting: 2 });
    home.tools.register(testTool('test.do', async () => 1));
    const asking = { agent: 'jean', capability: 'tool:*:call', asks: true };
    await home.capabilities.grant(asking, 'owner');
    const call = () => home.calls.call({ principal: jean, tool: 'test.do', args: {} });

    const kinds = [(await call()).kind, (await call()).kind];

    expect(kinds).toEqual(['waiting', 'waiting']);
    await expect(call()).rejects.toMatchObject({ code: 'tool.too-many' });
  });

  test('of what is denied only the digest of its arguments is kept', async () => {
    const home = await withTool(async () => 1);

    const { callId } = await home.doIt({ name: 'long'.repeat(200) });

    const row = await home.call(callId);
    expect(row?.arguments).toBe('null');
    expect(row?.arguments_digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([[''], ['x'.repeat(201)], ['a\nb'], ['ü']])('the key %j is refused', async (key) => {
    const home = await withTool(async () => 1);

    await expect(home.doIt({ name: 'x' }, { key })).rejects.toMatchObject({
      code: 'tool.bad-arguments',
    });
  });
});

describe('what comes back', () => {
  test('is refused where it is too large', async () => {
    const home = await withTool(async () => 'x'.repeat(20_000));
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

    expect(await home.doIt()).toMatchObject({ kind: 'failed', error: { code: 'tool.too-large' } });
  });

  test('has no secret in it, neither as a result nor as an error, nor in the arguments kept', async () => {
    const canary = 'canary-0123456789';
    const home = await withTool(async ({ name }) => {
      if (name === canary) return { [canary]: [`it is ${canary}`], as: encodeURIComponent(canary) };
      throw new AosError('tool.failed', { message: `no ${canary}`, details: { canary } });
    });
    home.scrubber.add({ name: 'KEY', value: canary, ...noBinding });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call' }, 'owner');

    const outcomes = [await home.doIt({ name: canary }), await home.doIt({ name: 'y' })];

    const rows = await home.ledger.committed.all('select * from journal');
    const events = await home.ledger.committed.all('select * from events');
    expect(outcomes.map(({ kind }) => kind)).toEqual(['answered', 'failed']);
    expect(JSON.stringify([outcomes, rows])).not.toContain(canary);
    expect(JSON.stringify(rows)).toContain('[secret:KEY]');
    // What was wanted is on record as it was asked for, but for that.
    expect(JSON.stringify(events)).not.toContain(canary);
  });

  test('of a tool that broke is a plain sentence', async () => {
    const home = await withTool(async () => {
      throw new TypeError('cannot read properties of undefined');
    });
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');

    const outcome = await home.doIt();

    expect(outcome).toMatchObject({
      error: { code: 'tool.failed', message: 'test.do broke where it should not have' },
    });
  });
});

const noBinding = { host: null, port: null, header: null, prefix: '' };
