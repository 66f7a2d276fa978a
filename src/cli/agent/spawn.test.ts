import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { composeEngines } from '../../app/home/compose.ts';
import { unseenArgument } from './spawn.ts';

const { disk } = composeEngines();

async function withScript() {
  const folder = temporaryFolder();
  mkdirSync(folder.at('work'));
  const script = folder.at('work', 'bot.py');
  writeFileSync(script, '');
  return { folder, script, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('a script by its whole path is shown by its folder', async () => {
  await using at = await withScript();

  const fix = await unseenArgument(disk, { cli: ['python3', '-u', at.script] });

  expect(fix).toBe(`"${at.script}" is not seen inside: --see "${at.folder.at('work')}" shows it`);
});

test('a script that is named from here is shown by working here', async () => {
  await using at = await withScript();

  const fix = await unseenArgument(disk, { cli: ['python3', relative('.', at.script)] });

  expect(fix).toBe(`"${at.script}" is not seen inside: --cwd . shows it`);
});

test('nothing is said of what is shown, of what is no file, and where there is no wall', async () => {
  await using at = await withScript();
  const [cli, work] = [['python3', at.script], at.folder.at('work')];
  const orders = [
    { cli, cwd: work },
    { cli: ['python3', basename(at.script)], cwd: work },
    { cli, sees: [work] },
    { cli, unsandboxed: true as const },
    { cli: [at.script, at.script] },
    { cli: ['cat', '/usr/bin/env', work, at.folder.at('gone'), `${at.script}/x`, 'a\0b', ''] },
    { cli: ['true'] },
    { model: 'scripted:hello' },
  ];

  for (const order of orders) {
    expect(await unseenArgument(disk, order), JSON.stringify(order)).toBeUndefined();
  }
});
