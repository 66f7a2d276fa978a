/** What a model agent has stored in one run is there in the next: real daemon, scripted model. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireGoal } from '../../src/gateway/contract/contract.ts';
import { aosHere } from '../support/aos-here.ts';
import { filesWith } from '../support/files-with.ts';
import { runAos } from '../support/run-aos.ts';
import { type RunningDaemon, startDaemon } from '../support/running-daemon.ts';
import { writeScript } from '../support/runtime-home.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const own = 'memory:**:read,write,search,share';

// One for all: each test has an agent of its own.
let folder: TemporaryFolder;
let daemon: RunningDaemon;
const home = () => folder.at('home');

beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(home(), { mode: 0o700 });
  writeFileSync(join(home(), 'config.json'), '{"memoryTokens":250}', { mode: 0o600 });
  daemon = await startDaemon(home());
});

afterAll(async () => {
  await daemon?.kill();
  await folder?.[Symbol.asyncDispose]();
});

/** An agent that stores a fact when it is told to, and says what it was told of its memories. */
async function spawnRemembering(name: string): Promise<{ readonly fact: string }> {
  const fact = `The code of the vault is canary-of-${name}.`;
  const args = { key: 'vault', scope: 'long-term', value: fact };
  const model = writeScript(folder, name, {
    rules: [
      {
        when: { goal_matches: 'Remember*', last_contains: 'Remember' },
        call: [{ tool: 'memory.store', args }],
      },
      { when: { goal_matches: 'Remember*' }, say: 'I have stored it.' },
      { when: { goal_matches: 'What*' }, say: 'I was told: {{last}}' },
    ],
  });
  await daemon.client.spawn(name, { model, grants: [own], standing: true });
  return { fact };
}

async function ask(client: Client, agent: string, goal: string): Promise<WireGoal> {
  const { operation } = await client.submitGoal({ goal, agent });
  return until(async () => {
    const ended = await client.goal(operation);
    expect(ended.ended_at).not.toBeNull();
    return ended;
  });
}

async function rememberedIn(client: Client, id: string) {
  const { items } = await client.steps(id, { limit: 100 });
  const found = items.find(({ kind }) => kind === 'remembered')?.step;
  return (found?.['items'] ?? []) as readonly { key: string; why: string; text: string }[];
}

test('an agent that stored a fact in one run uses it in the next, and inspect shows it', async () => {
  const { client } = daemon;
  const { fact } = await spawnRemembering('jean');

  const first = await ask(client, 'jean', 'Remember the code of the vault.');
  const second = await ask(client, 'jean', 'What is the code of the vault?');

  expect(await rememberedIn(client, first.id)).toEqual([]);
  expect(await rememberedIn(client, second.id)).toMatchObject([
    { key: 'vault', why: 'fits', text: fact },
  ]);
  expect(JSON.stringify(second.result)).toContain('canary-of-jean');
  const shown = await runAos(['inspect', second.id], { env: { AOS_HOME: home() } });
  expect(shown.stdout).toMatch(/remembered +vault \(fits\): The code of the vault/);
});

test('what a model is told stays within the budget of tokens', async () => {
  const { client } = daemon;
  await spawnRemembering('keeper');
  for (let place = 0; place < 20; place++) {
    const text = `Vault number ${place}: ${`word${place} `.repeat(20)}`;
    const args = ['--of', 'keeper', '--scope', 'long-term'];
    await aosHere(['--home', home(), 'memory', 'store', `vaults/${place}`, text, ...args]);
  }

  const { id } = await ask(client, 'keeper', 'What is in the vault?');

  const items = await rememberedIn(client, id);
  expect(items.length).toBeGreaterThan(0);
  expect(items.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(750);
});

test('what a run came to is kept for review, and not told to the next by itself', async () => {
  const { client } = daemon;
  await spawnRemembering('sam');

  const { id } = await ask(client, 'sam', 'Remember the code of the vault.');
  const next = await ask(client, 'sam', 'What did you remember of the vault?');

  const where = ['--of', 'sam', '--scope', 'long-term', '--json'];
  const { stdout } = await aosHere(['--home', home(), 'memory', 'get', `outcomes/${id}`, ...where]);
  expect(JSON.parse(stdout).data).toMatchObject({
    tags: ['completed', 'outcome'],
    value: { goal: 'Remember the code of the vault.', state: 'completed' },
  });
  expect((await rememberedIn(client, next.id)).map(({ key }) => key)).toEqual(['vault']);
});

test('after a purge no file of the home has a byte of it', async () => {
  const { client } = daemon;
  await spawnRemembering('forgetful');
  await ask(client, 'forgetful', 'Remember the code of the vault.');
  const { id } = await ask(client, 'forgetful', 'What is the code of the vault?');
  // What is forked has seen it too.
  const { stdout } = await runAos(['retry', id, '--from', '2', '--json'], {
    env: { AOS_HOME: home() },
  });
  await until(async () => {
    const { ended_at } = await client.goal(JSON.parse(stdout).data.operation);
    expect(ended_at).not.toBeNull();
  });
  expect(filesWith(home(), 'canary-of-forgetful').length).toBeGreaterThan(0);

  const words = ['purge', 'vault', '--of', 'forgetful', '--scope', 'long-term', '--yes'];
  const { code, stderr } = await aosHere(['--home', home(), 'memory', ...words]);

  expect([code, stderr]).toEqual([0, '']);
  expect(filesWith(home(), 'canary-of-forgetful')).toEqual([]);
});
