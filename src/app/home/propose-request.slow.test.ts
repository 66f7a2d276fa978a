import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { fileAgentWorld } from '../../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import type { ModelCatalog } from '../../kernel/agent/model.ts';
import { checkScript, type ScriptText } from '../../models/scripted/script.ts';
import { scriptedModel } from '../../models/scripted/scripted-model.ts';
import { proposeRequest } from './files.ts';

keepCompiled();

function catalogOf(turns: NonNullable<ScriptText['turns']>): ModelCatalog {
  const script = checkScript({ scripted_model: 1, turns }, 'test');
  const model = scriptedModel(script, { id: 'scripted:test', clock: new SimulatedClock() });
  return { open: async () => model };
}

const vague = 'Move the old stuff away';

async function understood(turns: NonNullable<ScriptText['turns']>, sentence = vague) {
  const models = catalogOf(turns);
  const signal = new AbortController().signal;
  await using world = await fileAgentWorld({
    propose: (said) =>
      proposeRequest(models, 'scripted:test', { sentence: said, today: '2026-11-16', signal }),
  });
  mkdirSync(join(world.root, 'Downloads'));
  return await world.agent.understand({ sentence }, { principal: 'owner', signal });
}

test('what the rules do not understand a model may propose, in the same shape', async () => {
  const request = { action: 'move_file', path: '~/Downloads/*', destination: '~/Archive/' };

  const found = await understood([{ call: [{ tool: 'files.request', args: request }] }]);

  expect(found).toMatchObject({ kind: 'understood', by: 'model', request });
  expect(found.reading).toContain('"~/Downloads/*"');
});

test.each([
  ['no request', { action: 'format_disk' }],
  ['one with more in it', { action: 'list_files', sudo: true }],
  ['nothing', {}],
])('what a model proposes is checked as anything else: %s', async (_, args) => {
  const found = await understood([{ call: [{ tool: 'files.request', args }] }]);

  expect(found).toMatchObject({ kind: 'asks-back', by: 'rules' });
});

test('a model that calls another tool, or only talks, changes nothing', async () => {
  const other = await understood([{ call: [{ tool: 'shell.execute', args: { program: 'rm' } }] }]);
  const talk = await understood([{ say: 'I would rather not.' }]);

  expect([other.kind, talk.kind]).toEqual(['asks-back', 'asks-back']);
});

test('what is understood, or out of scope, is not asked of a model', async () => {
  const script = [{ call: [{ tool: 'files.request', args: { action: 'list_files' } }] }];

  expect(await understood(script, 'list my Downloads')).toMatchObject({ by: 'rules' });
  expect(await understood(script, 'zip my Downloads')).toMatchObject({ kind: 'refused' });
});
