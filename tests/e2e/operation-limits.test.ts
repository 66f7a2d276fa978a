/**
 * The limits of an outsider's operation, at them and one beyond: what is too much is refused in
 * words and ends the operation, with nothing half stored, and what was whole before still opens.
 */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { artifactLimits } from '../../src/kernel/agent/operation.ts';
import { Grantee } from '../support/grantee.ts';
import {
  filesBelow,
  type OutsiderHome,
  outsiderHome,
  type Turns,
  type WireOperation,
} from '../support/outsider-home.ts';
import { cases, deep, isFull } from '../support/tier.ts';

const { mostCount, mostBytes } = artifactLimits;
const alice = new Grantee();
let home: OutsiderHome;

beforeAll(async () => {
  home = await outsiderHome();
  await home.grant(alice);
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

const creating = (name: string): { tool: string; args: { name: string; content: string } } => ({
  tool: 'artifact.create',
  args: { name, content: `whole ${name}` },
});

/** Where rows and bytes do not belong to an artifact that is there. */
function halfStored(): object {
  using database = new DatabaseSync(join(home.home, 'ledger.db'), { readOnly: true });
  const hashes = (sql: string): string[] =>
    // The column that was asked for.
    (database.prepare(sql).all() as unknown as { readonly hash: string }[]).map(({ hash }) => hash);
  const whole = new Set(hashes('select hash from artifacts where gone_at is null'));
  const notWhole = (hash: string): boolean => !whole.has(hash);
  const sealed = filesBelow(join(home.home, 'artifacts')).filter((file) => file.endsWith('.enc'));
  return {
    rows: hashes('select hash from blobs').filter(notWhole),
    references: hashes('select hash from blob_references').filter(notWhole),
    files: filesBelow(join(home.home, 'blobs')).filter((file) => notWhole(file.slice(-64))),
    temporary: filesBelow(join(home.home, 'tmp')),
    isEachSealed: sealed.length === whole.size,
  };
}

const nothingHalf = { rows: [], references: [], files: [], temporary: [], isEachSealed: true };

interface Planted {
  /** From the workspace on, with how many bytes each has. */
  readonly files: Readonly<Record<string, number>>;
  /** What the agent does before, and after. */
  readonly before?: Turns;
  readonly after?: Turns;
}

/** The agent waits while files are put into its workspace, as one that runs programs does. */
async function runWith(name: string, { files, before = [], after = [] }: Planted) {
  home.template(name, [...before, home.asks(name), ...after, { say: 'done' }]);
  const held = home.hold(name);
  const { id } = await home.submit(alice, name);
  const workspace = await held.asked;
  for (const [file, sizeBytes] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), '');
    truncateSync(join(workspace, file), sizeBytes);
  }
  held.letGo();
  return home.settled(alice, id);
}

const many = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`artifacts/f${n}.bin`, n]));

async function readOne({ artifacts }: WireOperation, name: string): Promise<string> {
  const artifact = artifacts.artifacts.find((one) => one.name === name);
  if (artifact === undefined) throw new Error(`there is no ${name}`);
  return (await home.read(alice, artifact)).toString();
}

function expectFailed({ status, result }: WireOperation, ...words: readonly string[]): void {
  expect({ status, result }).toMatchObject({ status: 'failed', result: { status: 'error' } });
  for (const word of words) expect(result?.summary).toContain(word);
  expect(halfStored()).toEqual(nothingHalf);
}

describe(`${mostCount} artifacts`, () => {
  const calls = (count: number) => Array.from({ length: count }, (_, n) => creating(`c${n}.txt`));

  deep('are made one after another, and one more of the same name', async () => {
    home.template('fifty', [{ call: [...calls(mostCount), creating('c7.txt')] }, { say: 'done' }]);

    const operation = await home.run(alice, 'fifty');

    expect(operation).toMatchObject({ status: 'succeeded', artifacts: { count: mostCount } });
    expect(await readOne(operation, 'c7.txt')).toBe('whole c7.txt');
    expect(halfStored()).toEqual(nothingHalf);
  });

  test('are all: one more of the same name is none more, and of another ends the operation', async () => {
    const again = creating('c7.txt');
    const last = creating('last.txt');
    home.template('more', [{ call: [...calls(mostCount), again, last] }, { say: 'done' }]);

    const operation = await home.run(alice, 'more');

    expectFailed(operation, 'artifact.too-many', String(mostCount));
    expect(operation.artifacts.count).toBe(mostCount);
    for (const name of ['c7.txt', 'c49.txt']) {
      expect(await readOne(operation, name)).toBe(`whole ${name}`);
    }
  });

  test('may lie in the folder', async () => {
    const operation = await runWith('files', { files: many(mostCount) });

    expect(operation).toMatchObject({ status: 'succeeded', artifacts: { count: mostCount } });
    expect(await readOne(operation, 'f49.bin')).toBe('\0'.repeat(49));
    expect(halfStored()).toEqual(nothingHalf);
  });

  const tooMany = [
    ['one file more', mostCount + 1, []],
    ['as many files and one that was made before', mostCount, [{ call: [creating('made.txt')] }]],
  ] satisfies [string, number, Turns][];

  test.each(cases('too many artifacts', tooMany, 1))(
    'in the folder and %s end the operation',
    async (what, count, before) => {
      const name = `files-${count}`;
      const operation = await runWith(name, { files: many(count), before });

      expectFailed(operation, 'artifact.too-many', String(mostCount));
      expect({ what, count: operation.artifacts.count }).toEqual({ what, count: before.length });
      if (before.length > 0) expect(await readOne(operation, 'made.txt')).toBe('whole made.txt');
    },
  );
});

describe('an artifact of 100 MB', () => {
  const before = [{ call: [creating('made.txt')] }];

  test('is taken, and opens', async () => {
    const files = { 'artifacts/large.bin': mostBytes };
    const operation = await runWith('large', { files });

    expect(operation).toMatchObject({ status: 'succeeded', artifacts: { total_size: mostBytes } });
    const [artifact] = operation.artifacts.artifacts;
    if (artifact === undefined) throw new Error('it is not there');
    // Opening is the grantee's work: smaller ones are opened in every other test.
    if (isFull)
      expect((await home.read(alice, artifact)).equals(Buffer.alloc(mostBytes))).toBe(true);
    expect(halfStored()).toEqual(nothingHalf);
  });

  test('and a byte, left in the folder, ends the operation', async () => {
    const files = { 'artifacts/large.bin': mostBytes + 1, 'artifacts/a.bin': 1 };
    const operation = await runWith('larger', { files, before });

    expectFailed(operation, 'artifact.too-large', 'large.bin', String(mostBytes));
    expect(operation.artifacts.count).toBe(1);
    expect(await readOne(operation, 'made.txt')).toBe('whole made.txt');
  });

  test('and a byte, made of a file by a tool, ends the operation', async () => {
    const path = '{{result 2 | json body}}/large.bin';
    const after = [{ call: [{ tool: 'artifact.create', args: { name: 'large.bin', path } }] }];
    const files = { 'large.bin': mostBytes + 1 };
    const operation = await runWith('largest', { files, before, after });

    expectFailed(operation, 'artifact.too-large', 'large.bin', String(mostBytes));
    expect(operation.artifacts.count).toBe(1);
    expect(await readOne(operation, 'made.txt')).toBe('whole made.txt');
  });
});

// The last ones: they start the daemon anew.
describe('with a second to run and a megabyte to keep', () => {
  const megabyte = 1_000_000;
  const before = [{ call: [creating('made.txt')] }];

  beforeAll(async () => {
    await home.daemon.stop();
    await home.start({ operationSeconds: 1, operationMegabytes: 1 });
  });

  test('what takes longer is ended', async () => {
    home.template('slow', [...before, { say: 'done', delay_ms: 20_000 }]);

    const operation = await home.run(alice, 'slow');

    expectFailed(operation, 'budget.spent');
    expect(operation.result?.execution_time).toBeLessThan(10);
    expect(await readOne(operation, 'made.txt')).toBe('whole made.txt');
  });

  test('what takes less is done', async () => {
    home.template('quick', [...before, { say: 'done', delay_ms: 100 }]);

    expect(await home.run(alice, 'quick')).toMatchObject({ status: 'succeeded' });
  });

  test('a workspace of exactly so much is none too many', async () => {
    const files = { 'a/b/half.bin': megabyte / 2, 'half.bin': megabyte / 2 };
    const operation = await runWith('full', { files, before });

    expect(operation).toMatchObject({ status: 'succeeded', artifacts: { count: 1 } });
  });

  test.each([
    ['while it runs', [{ call: [creating('late.txt')] }]],
    ['at its end', []],
  ] satisfies [string, Turns][])('a byte more %s ends the operation', async (what, after) => {
    const files = { 'a/b/half.bin': megabyte / 2, 'half.bin': megabyte / 2 + 1 };
    const operation = await runWith(`over-${after.length}`, { files, before, after });

    expectFailed(operation, 'operation.over-limit', String(megabyte));
    expect({ what, made: await readOne(operation, 'made.txt') }).toEqual({
      ...{ what, made: 'whole made.txt' },
    });
  });
});
