/** SIGKILL at every boundary of the loop of a model agent, then a start that takes it up. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cutEverywhere } from '../support/cut-everywhere.ts';
import { processesWith, writeScript } from '../support/runtime-home.ts';
import type { RuntimeOrder, RuntimeReport } from '../support/runtime-process.ts';
import { effectsIn } from '../support/runtime-world.ts';
import type { SpawnProcessOrder, SpawnProcessReport } from '../support/spawn-process.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { isFull } from '../support/tier.ts';

const inSupport = (name: string): string => join(import.meta.dirname, '..', 'support', name);

const walks = (orderOf: (dieAt: number) => RuntimeOrder) =>
  cutEverywhere<RuntimeOrder, RuntimeReport>({
    ...{ orderOf, moreThan: 40, program: inSupport('runtime-process.ts') },
  });

function walking(folder: TemporaryFolder, model: string): (dieAt: number) => RuntimeOrder {
  return (dieAt) => ({
    home: folder.at(`home-${dieAt}`),
    effects: folder.at(`home-${dieAt}.effects`),
    script: model.replace(/^scripted:/, ''),
    resolve: (['done', 'redo', 'fail'] as const)[dieAt % 3] ?? 'done',
  });
}

const keysOf = ({ operation }: RuntimeReport): string[] =>
  [1, 2, 3].map((turn) => `run:${operation}/${turn}/0`);

const wholeRun = {
  result: JSON.stringify({ text: 'walked' }),
  next: 'over',
  mailRead: ['hurry'],
  agent: 'completed',
  leases: [],
  chain: 'whole',
  lies: [],
  held: 0,
};

test('a run that is cut at any boundary ends as if it had not been, but where nobody can know', async () => {
  await using folder = temporaryFolder();
  const model = writeScript(folder, 'walk', {
    turns: [
      { call: [{ tool: 'test.append', args: { mail: 'hurry' } }] },
      // Of this one nobody can tell whether it had its effect.
      { call: [{ tool: 'test.unsafe' }] },
      { call: [{ tool: 'test.append' }] },
      { say: 'walked' },
    ],
  });

  const cuts = await walks(walking(folder, model));

  for (const { dieAt, order, report } of cuts) {
    const { unsure, ownerTold, kinds } = report;
    const [first, second, third] = keysOf(report);
    expect({ dieAt, ...report }).toMatchObject(wholeRun);
    expect({ dieAt, turns: kinds.filter((kind) => kind === 'results').length }).toEqual({
      ...{ dieAt, turns: 3 },
    });
    const again = order.resolve === 'redo' ? 1 : 0;
    const times = unsure[0] === undefined ? 1 : unsure[0].effects + again;
    expect({ dieAt, effects: effectsIn(order.effects) }).toEqual({
      ...{ dieAt, effects: [first, ...Array(times).fill(second), third] },
    });
    expect({ dieAt, unsure: unsure.map(({ key }) => key) }).toEqual({
      ...{ dieAt, unsure: ownerTold.map(() => second) },
    });
  }
  const unsure = cuts.flatMap(({ report }) => report.unsure);
  // Cut before the effect, behind it, and before its end was written down.
  if (!isFull) return;
  expect(unsure.map(({ effects }) => effects).toSorted()).toEqual([0, 0, 1, 1]);
  expect(cuts.flatMap(({ report }) => report.ownerTold)[0]).toContain('aos resolve');
});

test('a run that is cut while it spawns and waits has one child, and hears of it once', async () => {
  await using folder = temporaryFolder();
  const child = writeScript(folder, 'child', { turns: [{ say: 'grown' }] });
  const args = { name: 'child', goal: 'grow', model: child, budget: ['tokens=5000'] };
  const model = writeScript(folder, 'parent', {
    rules: [{ when: { last_contains: 'grown' }, say: 'walked' }],
    turns: [{ call: [{ tool: 'agent.spawn', args }] }, { say: 'I wait.' }],
  });

  const cuts = await walks(walking(folder, model));

  for (const { dieAt, report } of cuts) {
    expect({ dieAt, ...report }).toMatchObject({
      ...{ ...wholeRun, mailRead: [expect.stringContaining('grown')] },
      ...{ children: ['child completed'], childrenPaid: 1, unsure: [], ownerTold: [] },
    });
  }
});

test('a spawn by message that is cut anywhere starts one program or none, and one answer says which', async () => {
  await using folder = temporaryFolder();
  const words = `86402.${process.pid}`;

  const cuts = await cutEverywhere<SpawnProcessOrder, SpawnProcessReport>({
    program: inSupport('spawn-process.ts'),
    moreThan: 10,
    orderOf: (dieAt) => {
      const home = folder.at(`spawn-${dieAt}`);
      const effects = join(home, 'agents', 'worker', 'workspace', 'effects');
      return { home, effects, cli: `sh -c "echo started >> effects; exec sleep ${words}"` };
    },
  });

  for (const { dieAt, order, report } of cuts) {
    const { isAsked, state, answers, prompts, lies } = report;
    const starts = effectsIn(order.effects).length;
    const answer = !isAsked ? [] : [state === 'running' ? 'ack' : 'nack'];
    expect({ dieAt, answers: answers.map((text) => text.split(' ')[0]), report }).toEqual({
      ...{ dieAt, answers: answer, report },
    });
    expect({ dieAt, starts, prompts, lies, report }).toMatchObject({
      ...{ dieAt, prompts: isAsked ? 1 : 0, lies: [] },
    });
    expect(starts).toBeLessThanOrEqual(1);
    expect(['none', 'running', 'failed']).toContain(state);
    expect(report.leases).toEqual(state === 'running' ? ['agent:worker'] : []);
  }
  expect(processesWith(words)).toEqual([]);
});
