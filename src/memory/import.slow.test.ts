import { expect, test } from 'vitest';
import { dyingAt } from '../../tests/support/dying-ledger.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { jean, type MemoryWorld, memoryWorld } from '../../tests/support/memory-world.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { cases } from '../../tests/support/tier.ts';
import { AosError } from '../kernel/errors.ts';
import { statesBelow } from '../ledger/ledger.ts';

keepCompiled();

const at = '2020-01-01T00:00:00Z';

function linesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      ...{ scope: 'working', key: `k/${index}`, version: 1, value: `value ${index}` },
      ...{ created_at: at, valid_from: at },
    }),
  );
}

async function countOf({ ledger }: MemoryWorld): Promise<number> {
  const row = await ledger.committed.get<{ n: number }>('select count(*) as n from memories');
  return row?.n ?? 0;
}

function laidDown({ ledger }: MemoryWorld): Promise<object[]> {
  return statesBelow(ledger.committed, 'memory.import', 10);
}

test('others get their turns while many memories are imported', async () => {
  await using world = await memoryWorld();
  let turns = 0;
  let isDone = false;

  const importing = world.memory.importLines(jean, linesOf(3000)).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await world.ledger.transact(async () => {});
    turns++;
  }

  expect(await importing).toEqual({ imported: 3000, known: 0 });
  expect(turns).toBeGreaterThan(20);
  expect(await laidDown(world)).toEqual([]);
});

test('a wrong line among the last leaves nothing of all that came before', async () => {
  await using world = await memoryWorld();
  const lines = [...linesOf(450), 'nonsense'];

  const importing = world.memory.importLines(jean, lines);

  await expect(importing).rejects.toMatchObject({
    code: 'memory.bad-import',
    details: { line: 451 },
  });
  expect(await countOf(world)).toBe(0);
  expect(await laidDown(world)).toEqual([]);
});

// What a world is made by.
const made = 2;
// Three slices are laid down, then it says so, then they are brought in.
const deaths = [0, 1, 2, 3, 4, 5, 6, 7, 8];

test('a process that dies in the middle leaves all of an import to the next one, or nothing', async () => {
  for (const number of cases('import', deaths, 4)) {
    await using folder = temporaryFolder();
    const options = { folder: folder.path };
    {
      await using first = await memoryWorld({ ...options, watch: dyingAt(made + number) });
      await first.memory.importLines(jean, linesOf(450)).catch(() => {});
    }
    await using next = await memoryWorld({ ...options, epoch: 2 });

    await next.memory.recover();

    const expected = { number, count: number < 4 ? 0 : 450, left: [] };
    expect({ number, count: await countOf(next), left: await laidDown(next) }).toEqual(expected);
  }
});

test('what cannot be brought in yet keeps nobody from opening the home, and is said', async () => {
  await using folder = temporaryFolder();
  const options = { folder: folder.path };
  {
    await using first = await memoryWorld({ ...options, watch: dyingAt(made + 5) });
    await first.memory.importLines(jean, linesOf(450)).catch(() => {});
  }
  const said: string[] = [];
  const log = { warn: (_facts: object, words: string) => void said.push(words) };
  await using full = await memoryWorld({ ...options, epoch: 2, watch: dyingAt(made), log });

  await full.memory.recover();

  expect(said).toEqual(['an import that was cut off could not go on yet']);
  expect(await laidDown(full)).not.toEqual([]);
});

test('an import that meets a full disk when all is laid down says that the rest comes', async () => {
  const full = new AosError('ledger.full', { message: 'There is no room; nothing was lost' });
  await using world = await memoryWorld({ watch: dyingAt(made + 5, full) });

  const importing = world.memory.importLines(jean, linesOf(450));

  await expect(importing).rejects.toMatchObject({
    code: 'ledger.full',
    message: expect.stringContaining('a part of them is in'),
    fix: expect.stringContaining('the rest comes by itself'),
  });
});
