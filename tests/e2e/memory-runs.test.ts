/** What a model agent has stored in one run is there in the next: real daemon, scripted model. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client.ts';
import type { WireGoal } from '../../src/gateway/contract.ts';
import { filesWith } from '../support/files-with.ts';
import { runAos } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { waitFor, writeScript } from '../support/runtime-home.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { toolHome } from '../support/tool-home.ts';

const fact = 'The code of the vault is canary-4711.';
const own = 'memory:**:read,write,search,share';

/** It stores what it is told, and says what it was told of its memories. */
function rememberingScript(folder: TemporaryFolder): string {
  return writeScript(folder, 'remembering', {
    rules: [
      {
        when: { goal_matches: 'Remember*', last_contains: 'Remember' },
        call: [{ tool: 'memory.store', args: { key: 'vault', scope: 'long-term', value: fact } }],
      },
      { when: { goal_matches: 'Remember*' }, say: 'I have stored it.' },
      { when: { goal_matches: 'What*' }, say: 'I was told: {{last}}' },
    ],
  });
}

async function ask(client: Client, agent: string, goal: string): Promise<WireGoal> {
  const { operation } = await client.submitGoal({ goal, agent });
  return waitFor(async () => {
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
  await using here = await toolHome();
  const { client, folder, home } = here;
  await client.spawn('jean', {
    ...{ model: rememberingScript(folder), grants: [own], standing: true },
  });

  const first = await ask(client, 'jean', 'Remember the code of the vault.');
  const second = await ask(client, 'jean', 'What is the code of the vault?');

  expect(await rememberedIn(client, first.id)).toEqual([]);
  expect(await rememberedIn(client, second.id)).toMatchObject([
    { key: 'vault', why: 'fits', text: fact },
  ]);
  expect(JSON.stringify(second.result)).toContain('canary-4711');
  const shown = await runAos(['inspect', second.id], { env: { AOS_HOME: home } });
  expect(shown.stdout).toMatch(/remembered +vault \(fits\): The code of the vault/);
});

test('what a model is told stays within the budget of tokens', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.json'), '{"memoryTokens":250}', { mode: 0o600 });
  await using daemon = await startDaemon(home);
  const { client } = daemon;
  await client.spawn('jean', {
    ...{ model: rememberingScript(folder), grants: [own], standing: true },
  });
  for (let place = 0; place < 20; place++) {
    const text = `Vault number ${place}: ${`word${place} `.repeat(20)}`;
    const args = ['--of', 'jean', '--scope', 'long-term'];
    await runAos(['memory', 'store', `vaults/${place}`, text, ...args], {
      env: { AOS_HOME: home },
    });
  }

  const { id } = await ask(client, 'jean', 'What is in the vault?');

  const items = await rememberedIn(client, id);
  expect(items.length).toBeGreaterThan(0);
  expect(items.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(750);
});

test('what a run came to is kept for review, and not told to the next by itself', async () => {
  await using here = await toolHome();
  const { client, folder, home } = here;
  await client.spawn('jean', {
    ...{ model: rememberingScript(folder), grants: [own], standing: true },
  });

  const { id } = await ask(client, 'jean', 'Remember the code of the vault.');
  const next = await ask(client, 'jean', 'What did you remember of the vault?');

  const args = [
    'memory',
    'get',
    `outcomes/${id}`,
    '--of',
    'jean',
    '--scope',
    'long-term',
    '--json',
  ];
  const { stdout } = await runAos(args, { env: { AOS_HOME: home } });
  expect(JSON.parse(stdout).data).toMatchObject({
    tags: ['completed', 'outcome'],
    value: { goal: 'Remember the code of the vault.', state: 'completed' },
  });
  expect((await rememberedIn(client, next.id)).map(({ key }) => key)).toEqual(['vault']);
});

test('after a purge no file of the home has a byte of it', async () => {
  await using here = await toolHome();
  const { client, folder, home } = here;
  await client.spawn('jean', {
    ...{ model: rememberingScript(folder), grants: [own], standing: true },
  });
  await ask(client, 'jean', 'Remember the code of the vault.');
  const { id } = await ask(client, 'jean', 'What is the code of the vault?');
  // What is forked has seen it too.
  const { stdout } = await runAos(['retry', id, '--from', '2', '--json'], {
    env: { AOS_HOME: home },
  });
  await waitFor(async () => {
    const { ended_at } = await client.goal(JSON.parse(stdout).data.operation);
    expect(ended_at).not.toBeNull();
  });
  expect(filesWith(home, 'canary-4711').length).toBeGreaterThan(0);

  const args = ['memory', 'purge', 'vault', '--of', 'jean', '--scope', 'long-term', '--yes'];
  const { code, stderr } = await runAos(args, { env: { AOS_HOME: home } });

  expect([code, stderr]).toEqual([0, '']);
  expect(filesWith(home, 'canary-4711')).toEqual([]);
});
