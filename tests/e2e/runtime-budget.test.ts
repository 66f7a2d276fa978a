/** A budget is hard, however often and from how many sides somebody tries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireGoal } from '../../src/gateway/contract/contract.ts';
import { runAos } from '../support/run-aos.ts';
import { writeScript } from '../support/runtime-home.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { callerOn, endOf, sharedToolHome, type ToolHome, tally } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

// One daemon for all: agents of each test have names of their own.
const toolHome = sharedToolHome();

const tries = 50;
const budget = ['children=2', 'tokens=1000'];
const usage = { input_tokens: 20, output_tokens: 20 };
// Spent before the runtime finds that it gets nowhere.
const fast = { input_tokens: 20, output_tokens: 130 };

/** `of` tells the children of one spender from those of another. */
const spawnCall = (folder: TemporaryFolder, of: string, place: number) => ({
  tool: 'agent.spawn',
  args: {
    name: `${of}-${place}`,
    goal: 'be there',
    model: `scripted:${folder.at('child.json')}`,
    budget: ['tokens=100'],
  },
});

type Trying = 'at-once' | 'in-turn';

/** The model of the children too. */
function writeSpender(folder: TemporaryFolder, how: Trying): string {
  writeScript(folder, 'child', { turns: [{ say: 'here', usage }] });
  const calls = Array.from({ length: tries }, (_, place) => spawnCall(folder, how, place));
  const look = (place: number) => ({ tool: 'memory.get', args: { key: `burn-${place}` } });
  const burning = calls.map((_, place) => ({ call: [look(place)], usage }));
  const turns =
    how === 'at-once'
      ? [{ call: calls, usage }]
      : calls.map((call) => ({ call: [call], usage: fast }));
  return writeScript(folder, how, { turns: [...turns, ...burning] });
}

async function runToItsEnd(
  { client, folder }: Pick<ToolHome, 'client' | 'folder'>,
  how: Trying,
): Promise<WireGoal> {
  const agent = `spender-${how}`;
  const child = `file:${folder.at('child.json')}:read`;
  const grants = ['agent:*:spawn', 'memory:**:read', child];
  await client.spawn(agent, { model: writeSpender(folder, how), grants });
  const { operation } = await client.submitGoal({ goal: 'spend', agent, budget });
  return until(async () => {
    const goal = await client.goal(operation);
    expect(goal.ended_at).not.toBeNull();
    return goal;
  });
}

async function childrenOf(client: Client, of: string): Promise<string[]> {
  const agents = await Array.fromAsync(client.agents());
  return agents.map(({ name }) => name).filter((name) => name.startsWith(`${of}-`));
}

/** What the model calls have cost by the journal, and what each of them held before. */
async function tokensOf(client: Client, id: string) {
  const { items } = await client.steps(id, { limit: 1000 });
  let used = 0;
  const beyond: string[] = [];
  for (const { seq, step } of items) {
    if (step['kind'] === 'asked') {
      const { tokens } = step['hold'] as { tokens: number };
      // Two children have taken a hundred each by the end; at no time is more held than is left.
      if (used + tokens > 1000) beyond.push(`step ${seq} held ${tokens} after ${used}`);
    }
    if (step['kind'] === 'answered') {
      const spent = step['usage'] as { inputTokens: number; outputTokens: number };
      used += spent.inputTokens + spent.outputTokens;
    }
  }
  return { used, beyond };
}

test.each(['at-once', 'in-turn'] as const)(
  'a goal for two children and 1,000 tokens gets no more of either when it tries %s',
  async (how) => {
    const home = await toolHome();
    const { client } = home;

    const goal = await runToItsEnd(home, how);

    expect(await childrenOf(client, how)).toEqual([`${how}-0`, `${how}-1`]);
    expect(goal).toMatchObject({ state: 'failed', error: { code: 'budget.spent' } });
    expect(goal.budget).toMatchObject({
      children: { limit: 2, used: 2, held: 0 },
      tokens: { limit: 1000, held: 0 },
    });
    expect(goal.budget?.tokens.used).toBeLessThanOrEqual(1000);
    expect((await tokensOf(client, goal.id)).beyond).toEqual([]);
    const { items } = await client.calls({ agent: `spender-${how}`, limit: '1000' });
    const spawns = items.filter(({ tool }) => tool === 'agent.spawn');
    expect(spawns.filter(({ state }) => state === 'answered')).toHaveLength(2);
    const inspected = await runAos(['--home', home.home, 'inspect', `spender-${how}`]);
    expect(inspected.stdout).toMatch(/budget.*does not cover/i);
  },
);

test('fifty children at the same moment are two where the budget has two', async () => {
  const home = await toolHome();
  const { client, folder, daemon } = home;
  writeSpender(folder, 'at-once');
  const grants = ['agent:*:spawn', `file:${folder.at('child.json')}:read`];
  await client.spawn('spender', { cli: ['sleep', '600'], budget, grants });
  const { pid } = await client.agentDetails('spender');
  const handle = /AOS_HANDLE=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1];
  const spender = callerOn(daemon, 'spender', handle ?? '').client;

  const ends = await Promise.all(
    Array.from({ length: tries }, (_, place) => {
      const { tool, args } = spawnCall(folder, 'together', place);
      return endOf(spender.callTool(tool, { args }));
    }),
  );

  expect(tally(ends)).toEqual({ ok: 2, 'budget.spent': tries - 2 });
  expect(await childrenOf(client, 'together')).toHaveLength(2);
  const { budget: left } = await client.agentDetails('spender');
  expect(left).toMatchObject({ children: { used: 2, held: 0 }, tokens: { held: 0 } });
  await client.killAgent('spender');
});

test('a goal that is cut off by its wall time says so, and one over its tool calls makes none of them', async () => {
  const home = await toolHome();
  const { client, folder } = home;
  const slow = writeScript(folder, 'slow', { turns: [{ delay_ms: 60_000, say: 'late' }] });
  const path = join(folder.path, 'written');
  const write = { tool: 'file.write', args: { path, content: 'x', if_exists: 'replace' } };
  const many = writeScript(folder, 'many', { turns: [{ call: [write, write, write] }] });

  await client.spawn('slow', { model: slow });
  await client.spawn('many', { model: many, grants: [`file:${path}:write`] });
  const ends = await Promise.all([
    client.submitGoal({ goal: 'wait', agent: 'slow', budget: ['wall=300ms'] }),
    client.submitGoal({ goal: 'write', agent: 'many', budget: ['tool_calls=2'] }),
  ]);

  for (const { operation } of ends) {
    await until(async () =>
      expect(await client.goal(operation)).toMatchObject({
        ...{ state: 'failed', error: { code: 'budget.spent' } },
      }),
    );
  }
  expect((await client.calls({ agent: 'many' })).items).toEqual([]);
});
