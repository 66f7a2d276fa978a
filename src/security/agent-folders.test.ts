import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isRoot } from '../../tests/support/machine.ts';
import { type TemporaryFolder, temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { makeFolders } from './agent-folders.ts';

const uid = 2_100_000_023;
const own = ['outbox/.pending', 'outbox', 'inbox', 'workspace'];

async function homeWithFolders(): Promise<TemporaryFolder> {
  const home = temporaryFolder();
  await makeFolders(realDisk, home.path, 'jean', { open: 'refused' });
  return home;
}

const makeAgain = (home: TemporaryFolder, agentUid?: number) =>
  makeFolders(realDisk, home.path, 'jean', { open: 'refused', uid: agentUid });

describe.skipIf(!isRoot)('folders that are the agent’s own', () => {
  test('are accepted for who has that uid, whatever mode it gave them', async () => {
    await using home = await homeWithFolders();
    for (const name of own) chownSync(home.at('agents/jean', name), uid, uid);
    chmodSync(home.at('agents/jean/workspace'), 0o755);

    await makeAgain(home, uid);

    expect(statSync(home.at('agents/jean/outbox')).uid).toBe(uid);
  });

  test.each(own)('are refused as %s where they are another’s', async (name) => {
    await using home = await homeWithFolders();
    chownSync(home.at('agents/jean', name), uid, uid);

    await expect(makeAgain(home)).rejects.toMatchObject({ code: 'disk.denied' });
    await expect(makeAgain(home, uid + 1)).rejects.toMatchObject({ code: 'disk.denied' });
  });

  test('are refused as the one around them, and so is an open one of the daemon’s', async () => {
    await using home = await homeWithFolders();
    chownSync(home.at('agents/jean'), uid, uid);
    const around = makeAgain(home, uid);
    await expect(around).rejects.toMatchObject({ code: 'disk.denied' });
    chownSync(home.at('agents/jean'), 0, 0);
    chmodSync(home.at('agents/jean/inbox'), 0o755);

    const open = makeAgain(home, uid);

    await expect(open).rejects.toMatchObject({ code: 'disk.denied' });
  });

  test('one that is missing in an outbox of theirs is made as theirs', async () => {
    await using home = temporaryFolder();
    mkdirSync(home.at('agents/jean/outbox'), { recursive: true, mode: 0o700 });
    chownSync(home.at('agents/jean/outbox'), uid, uid);

    await makeAgain(home, uid);

    expect(statSync(home.at('agents/jean/outbox/.pending')).uid).toBe(uid);
    expect(statSync(home.at('agents/jean/workspace')).uid).toBe(0);
  });
});
