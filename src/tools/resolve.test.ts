import { expect, test } from 'vitest';
import {
  type TemporaryTools,
  temporaryTools,
  testTool,
} from '../../tests/support/temporary-tools.ts';
import { callKey } from '../kernel/journal/step.ts';
import { withdrawCalls } from './recover.ts';

const jean = 'agent:jean';
const first = 'a'.repeat(32);
const second = 'b'.repeat(32);

/** Jean has a call of each of two runs waiting, and one that belongs to none. */
async function asking() {
  const home = await temporaryTools();
  let runs = 0;
  home.tools.register(testTool('test.do', async () => ++runs));
  await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call', asks: true }, 'owner');
  const ask = async (operation?: string) => {
    const request = { principal: jean, tool: 'test.do', args: {} };
    const { callId } = await home.calls.call(
      operation === undefined
        ? request
        : { ...request, key: callKey(operation, 1, 0), isOfRun: true },
    );
    return callId;
  };
  return { home, ids: [await ask(first), await ask(second), await ask()], runs: () => runs };
}

const withdraw = ({ ledger, clock }: TemporaryTools, principal = jean) =>
  ledger.transact((tx) =>
    withdrawCalls(tx, { principal, keyPrefix: `run:${first}/`, at: clock.now() }),
  );

test('the calls of a run that is over are not made, and those of others wait on', async () => {
  const { home, ids } = await asking();

  await withdraw(home);

  const states = await Promise.all(ids.map(async (id) => (await home.call(id))?.state));
  expect(states).toEqual(['failed', 'waiting', 'waiting']);
  const open = (await home.approvals()).filter(({ state }) => state === 'waiting');
  expect(open.map(({ call_id }) => call_id).toSorted()).toEqual(ids.slice(1).toSorted());
  expect(await home.calls.outcome(ids[0] ?? '')).toMatchObject({
    ...{ kind: 'failed', error: { code: 'tool.interrupted' } },
  });
});

test('nobody can approve what was withdrawn', async () => {
  const { home, ids, runs } = await asking();
  const approval = (await home.approvals()).find(({ call_id }) => call_id === ids[0]);
  const { id = '', hash = '' } = approval ?? {};

  await withdraw(home);
  const verdict = { kind: 'approve', scope: 'once' } as const;
  const late = home.calls.answer({ id, hash, by: 'owner', verdict });

  await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/^approval\./) });
  expect(runs()).toBe(0);
});

test('of a name that another has, nothing is withdrawn', async () => {
  const { home, ids } = await asking();

  await withdraw(home, 'agent:sam');

  expect(await home.call(ids[0] ?? '')).toMatchObject({ state: 'waiting' });
});
