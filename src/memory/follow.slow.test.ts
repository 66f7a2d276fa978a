import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { jean, type MemoryWorld, memoryWorld, place } from '../../tests/support/memory-world.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';

keepCompiled();

/** The one in `to` is gone, with what belongs to it. The index stays. */
function replaceLedger(from: string, to: string): void {
  const files = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('ledger'));
  for (const name of files(to)) rmSync(join(to, name), { recursive: true });
  for (const name of files(from)) {
    cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** So many memories of the violin, and an event, by which a ledger is known. */
async function remember(world: MemoryWorld, name: string, count: number): Promise<void> {
  for (let day = 0; day < count; day++) {
    await world.store(`${name}/${day}`, `violin of ${name}, ${day}`);
  }
  await world.store('gone', name);
  await world.memory.forget(place('gone'), { below: false, actor: jean });
}

test.each([
  ['has as many changes', 3, ['other/0', 'other/1', 'other/2']],
  ['has more changes', 5, ['other/0', 'other/1', 'other/2', 'other/3', 'other/4']],
  ['has fewer changes', 1, ['other/0']],
])(
  'where another ledger lies in its place that %s, the index begins anew',
  async (_what, count, keys) => {
    await using here = temporaryFolder();
    await using there = temporaryFolder();
    {
      await using world = await memoryWorld({ folder: here.path });
      await remember(world, 'mine', 3);
      expect(await world.found('violin')).toHaveLength(3);
      await using other = await memoryWorld({ folder: there.path });
      await other.clock.advance(5000);
      await remember(other, 'other', count);
    }

    replaceLedger(there.path, here.path);

    await using world = await memoryWorld({ folder: here.path, epoch: 2 });
    expect((await world.found('other')).toSorted()).toEqual(keys);
    expect(await world.found('mine')).toEqual([]);
    expect(await world.memory.state()).toMatchObject({ memories: count });
  },
);

test('where a backup of the same ledger lies in its place, what came since is not found', async () => {
  await using here = temporaryFolder();
  await using backup = temporaryFolder();
  {
    await using world = await memoryWorld({ folder: here.path });
    await remember(world, 'early', 1);
  }
  replaceLedger(here.path, backup.path);
  {
    await using world = await memoryWorld({ folder: here.path, epoch: 2 });
    await remember(world, 'late', 1);
    expect(await world.found('violin')).toHaveLength(2);
  }

  replaceLedger(backup.path, here.path);

  await using world = await memoryWorld({ folder: here.path, epoch: 3 });
  expect(await world.found('violin')).toEqual(['early/0']);
});
