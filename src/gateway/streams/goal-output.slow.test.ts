import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { testTool } from '../../../tests/support/temporary-tools.ts';
import { until } from '../../../tests/support/until.ts';
import type { ToolCall } from '../../tools/tool.ts';

/** All that is seen of a goal whose model calls a tool that does what the test says. */
async function seen(gateway: TemporaryGateway, run: (call: ToolCall) => Promise<unknown>) {
  gateway.tools.register(testTool('test.show', (_args, call) => run(call), { actions: () => [] }));
  const path = gateway.home.at('script.json');
  const turns = [{ call: [{ tool: 'test.show', args: {} }] }, { say: 'Done.', delay_ms: 50 }];
  writeFileSync(path, JSON.stringify({ scripted_model: 1, turns }));
  const { operation } = await gateway.client.spawn('jean', {
    ...{ model: `scripted:${path}`, goal: 'Do it.' },
  });
  return Array.fromAsync(gateway.client.followGoal(operation ?? ''));
}

/** What is shown before somebody follows is seen in the result only. */
async function whenFollowed({ client }: TemporaryGateway): Promise<void> {
  await until(async () => {
    expect(await client.status()).toMatchObject({ feed_clients: 1 });
  });
}

test('whoever follows a goal sees what its tools show, between the steps of the call', async () => {
  await using gateway = await temporaryGateway({}, {}, { withRuntime: true });

  const events = await seen(gateway, async ({ show }) => {
    await whenFollowed(gateway);
    show?.({ stream: 'stdout', bytes: Buffer.from('working\n') });
    return 'brought';
  });

  const kinds = events.flatMap((event) =>
    event.kind === 'step' ? [event.step.kind] : event.kind === 'output' ? ['output'] : [],
  );
  expect(kinds.slice(2, 5)).toEqual(['answered', 'output', 'results']);
  expect(events.filter(({ kind }) => kind === 'output')).toMatchObject([
    { tool: 'test.show', stream: 'stdout', text: 'working\n' },
  ]);
});

test('a tool that shows too much does not flood who follows, and its result is whole', async () => {
  await using gateway = await temporaryGateway({}, {}, { withRuntime: true });

  const events = await seen(gateway, async ({ show }) => {
    await whenFollowed(gateway);
    for (let part = 0; part < 100; part++) {
      show?.({ stream: 'stdout', bytes: Buffer.alloc(64 * 1024, 'x') });
    }
    return 'brought';
  });

  const shown = events.reduce((sum, one) => sum + (one.kind === 'output' ? one.text.length : 0), 0);
  expect(shown).toBeGreaterThan(0);
  // A second may begin while it is shown.
  expect(shown).toBeLessThanOrEqual(2 * 64 * 1024);
  expect(events.filter(({ kind }) => kind === 'dropped')).toMatchObject([{ tool: 'test.show' }]);
  const [call] = (await gateway.client.calls({ agent: 'jean' })).items;
  expect(call).toMatchObject({ state: 'answered', tool: 'test.show' });
});
