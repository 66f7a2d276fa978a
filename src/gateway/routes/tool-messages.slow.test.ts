import { expect, test } from 'vitest';
import { temporaryGateway } from '../../../tests/support/temporary-gateway.ts';
import { grantsHeldBy } from '../../ledger/security/grants.ts';

/** Jean with just this capability, and sam to write to. */
async function homeWith(capability: string, more: { readonly ask?: boolean } = {}) {
  const home = await temporaryGateway();
  for (const name of ['jean', 'sam']) await home.client.register(name);
  for (const { id } of await grantsHeldBy(home.ledger.committed, 'agent:jean')) {
    await home.client.revoke(id);
  }
  await home.client.grant({ agent: 'jean', capability, ...more });
  return home;
}

const message = { args: { to: 'sam', body: 'hello' }, as: 'jean' };

test('a message that a tool sends is counted once', async () => {
  await using home = await homeWith('message:sam:send{max:2}');
  const send = () => home.client.callTool('message.send', message);

  const states = [(await send()).state, (await send()).state];

  expect(states).toEqual(['answered', 'answered']);
  await expect(send()).rejects.toMatchObject({ code: 'capability.used-up' });
  expect(await home.client.inbox('sam', {})).toHaveLength(2);
});

test('a message that a human has approved is sent', async () => {
  await using home = await homeWith('message:sam:send', { ask: true });
  const { call_id, approval } = await home.client.callTool('message.send', message);
  const { id, hash } = await home.client.approval(approval ?? '');

  await home.client.approve(id, { hash, scope: 'once' });

  const call = await home.client.toolCall(call_id, { waitMs: 5000 });
  expect(call.state).toBe('answered');
  expect(await home.client.inbox('sam', {})).toHaveLength(1);
});

test('a spawn that a tool sends needs its own grant all the same', async () => {
  await using home = await homeWith('message:*:send');
  const body = 'NAME: worker\nCLI: claude\n';
  const args = { to: '__orchestrator__', kind: 'spawn', body };

  const spawning = home.client.callTool('message.send', { args, as: 'jean' });

  await expect(spawning).rejects.toMatchObject({
    code: 'message.denied',
    message: expect.stringContaining('agent:worker:spawn'),
  });
});
