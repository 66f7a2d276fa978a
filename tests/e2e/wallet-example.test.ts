import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/run-aos.ts';
import { type ScriptedHome, scriptedHome } from '../support/scripted-home.ts';

const root = join(import.meta.dirname, '..', '..');
const example = join(root, 'examples', 'wallet', 'wallet.mjs');

let home: ScriptedHome;

beforeAll(async () => {
  home = await scriptedHome();
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

test('the wallet in examples/ signs, submits, waits, and opens its artifacts', async () => {
  const wallet = home.wallet('outsider');
  const capability = 'operation:default:start';
  await home.daemon.client.grant({ agent: wallet.address, capability });

  const run = await runProgram(
    process.execPath,
    [example, home.daemon.url, 'Write the report', home.folder.at('opened')],
    { env: { PRIVATE_KEY: wallet.privateKey } },
  );

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.split('\n')).toEqual([
    `I am ${wallet.address}`,
    expect.stringMatching(/^operation [0-9a-f]{32}$/),
    'succeeded: The report is written.',
    'report.md: 9 bytes, opened and verified',
    'data/rows.csv: 8 bytes, opened and verified',
    '',
  ]);
  expect(readFileSync(home.folder.at('opened', 'data', 'rows.csv'), 'utf8')).toBe('a,b\n1,2\n');
});

test('to a wallet to which nothing was granted, it says so', async () => {
  const wallet = home.wallet('stranger');

  const run = await runProgram(
    process.execPath,
    [example, home.daemon.url, 'Write the report', home.folder.at('nothing')],
    { env: { PRIVATE_KEY: wallet.privateKey } },
  );

  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(new RegExp(`Error: 40[13] [a-z.-]+: .*${wallet.address}`));
  expect(existsSync(home.folder.at('nothing'))).toBe(false);
});

test('it has nothing of ours in it', () => {
  const imported = [...readFileSync(example, 'utf8').matchAll(/ from '([^']+)'/g)].map(
    ([, name]) => name,
  );

  expect(imported.toSorted()).toEqual([
    ...['node:crypto', 'node:fs', 'node:path', 'node:timers/promises'],
    'viem/accounts',
  ]);
});
