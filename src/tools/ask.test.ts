import { describe, expect, test } from 'vitest';
import { temporaryTools, testTool } from '../../tests/support/temporary-tools.ts';
import { callKey } from '../kernel/journal/step.ts';

const runKey = callKey('0'.repeat(32), 9, 9);

describe('a key that begins with "run:"', () => {
  test.each([runKey, 'run:', 'run:anything'])('is refused of anybody: %s', async (key) => {
    const home = await temporaryTools();
    let runs = 0;
    home.tools.register(testTool('test.do', async () => ++runs));
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call' }, 'owner');

    for (const principal of ['agent:jean', 'owner']) {
      const attempt = home.calls.call({ principal, tool: 'test.do', args: {}, key });
      await expect(attempt).rejects.toMatchObject({ code: 'tool.bad-arguments' });
    }

    expect(runs).toBe(0);
    expect(await home.ledger.committed.all('select * from journal')).toEqual([]);
  });

  test('is that of a call which a run makes, and nobody else is answered by it', async () => {
    const home = await temporaryTools();
    home.tools.register(testTool('test.do', async () => 'a secret'));
    await home.capabilities.grant({ agent: 'jean', capability: 'tool:*:call' }, 'owner');
    const request = { principal: 'agent:jean', tool: 'test.do', args: {}, key: runKey };

    const made = await home.calls.call({ ...request, isOfRun: true });
    const again = home.calls.call(request);

    expect(made).toMatchObject({ kind: 'answered', output: 'a secret' });
    await expect(again).rejects.toMatchObject({ code: 'tool.bad-arguments' });
  });
});
