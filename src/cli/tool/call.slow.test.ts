import { expect, test } from 'vitest';
import { type CommandHome, commandHome } from '../../../tests/support/command-home.ts';
import { until } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';

const request = ['tool', 'call', 'message.request', '--args', '{"to":"jean","body":"hm?"}'];

/** The call once it stands in the journal like that. */
function callThatIs(home: CommandHome, state: 'started' | 'waiting' | 'answered') {
  return until(async () => {
    const [call] = (await home.client.calls({ state })).items;
    if (call === undefined) throw new Error(`no call is ${state}`);
    return call;
  });
}

test('Ctrl-C tells that the call goes on and how to look, and so it does', async () => {
  await using home = await commandHome('jean');
  const stop = new AbortController();

  const calling = home.aos(request, { signal: stop.signal });
  const { call_id } = await callThatIs(home, 'started');
  stop.abort(new AosError('interrupted.signal', { message: 'Stopped by Ctrl-C' }));
  const run = await calling;

  expect(run).toMatchObject({
    code: 130,
    stdout: '',
    stderr:
      'A call that the daemon has begun may go on. What comes of it: aos tool calls\nerror: Stopped by Ctrl-C\n',
  });
  const asked = await until(async () => {
    const [item] = await home.client.inbox('jean', {});
    if (item === undefined) throw new Error('jean was not asked');
    return item;
  });
  await home.client.send({
    to: 'owner',
    from: 'jean',
    kind: 'response',
    re: asked.id,
    body: 'yes',
  });
  expect(await callThatIs(home, 'answered')).toMatchObject({ call_id });
});

test('Ctrl-C while a human is waited for tells the same', async () => {
  await using home = await commandHome('jean', 'sam');
  const held = (await home.client.grants({ agent: 'sam' })).items;
  const sending = held.find(({ capability }) => capability.startsWith('message:'));
  await home.client.revoke(sending?.id ?? '');
  await home.client.grant({ agent: 'sam', capability: 'message:jean:send', ask: true });
  const stop = new AbortController();

  const words = [...request, '--as', 'sam', '--wait', '10m'];
  const calling = home.aos(words, { signal: stop.signal });
  const { call_id } = await callThatIs(home, 'waiting');
  stop.abort(new AosError('interrupted.signal', { message: 'Stopped by Ctrl-C' }));
  const run = await calling;

  // The id, if it has come back by then.
  expect(run.stderr).toMatch(new RegExp(`What comes of it: aos tool calls(?: ${call_id})?\\n`));
});
