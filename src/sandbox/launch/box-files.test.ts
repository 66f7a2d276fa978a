import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRoot } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { BoxFiles, hostParts } from './box-files.ts';

const agentUid = 2_139_999_990;
const otherUid = 2_139_999_991;

const etcIn = (path: string) => readdirSync(path).filter((name) => name.startsWith('etc-'));

test('the small /etc of agents of which nothing runs goes with the next start', async () => {
  await using folder = temporaryFolder();
  for (const uid of [agentUid, otherUid, 1000]) hostParts(folder.path, uid);

  const files = new BoxFiles(folder.path);

  // The one of an ordinary daemon is for all of its agents.
  expect(etcIn(folder.path)).toEqual(['etc-1000']);
  expect(existsSync(`${files.hostFor({ uid: agentUid }).etc}/passwd`)).toBe(true);
});

test.skipIf(!isRoot)('that of an agent whose program outlived the daemon stays', async () => {
  await using folder = temporaryFolder();
  for (const uid of [agentUid, otherUid]) hostParts(folder.path, uid);
  const program = spawn('sleep', ['3600'], { uid: agentUid, stdio: 'ignore' });
  await once(program, 'spawn');

  new BoxFiles(folder.path);

  expect(etcIn(folder.path)).toEqual([`etc-${agentUid}`]);
  program.kill('SIGKILL');
  await once(program, 'exit');
});
