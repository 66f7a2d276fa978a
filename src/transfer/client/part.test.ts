import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { claimPart, type PartDeps, wasNamed } from './part.ts';

/** A process that somebody made up, on a machine with one start. */
function processOf(pid: number, { boot = 'boot', alive = [pid] } = {}): PartDeps {
  return {
    disk: realDisk,
    random: realRandom,
    processes: {
      selfPid: pid,
      startTimeOf: (asked) => (alive.includes(asked) ? `start of ${asked}` : undefined),
      bootId: () => boot,
    },
  };
}

const of = (folder: string, hash = 'a'.repeat(64)) => ({
  ...{ folder, hash, transfer: '0123', filename: 'x' },
});

test('a part is begun, and nothing is left of it at its end', async () => {
  await using folder = temporaryFolder();

  const part = await claimPart(processOf(1), of(folder.path));
  writeFileSync(part.path, 'half');
  await part.end();

  expect(part.isBegun).toBe(false);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('what a dead process has left is gone on with', async () => {
  await using folder = temporaryFolder();
  const first = await claimPart(processOf(1), of(folder.path));
  writeFileSync(first.path, 'half');

  const second = await claimPart(processOf(2), of(folder.path));

  expect(second).toMatchObject({ path: first.path, isBegun: true });
  expect(readFileSync(second.path, 'utf8')).toBe('half');
});

test('a mark of a try that was cut off says nothing once the part is begun anew', async () => {
  await using folder = temporaryFolder();
  const first = await claimPart(processOf(1), of(folder.path));
  mkdirSync(first.path);
  await first.mark();
  mkdirSync(folder.at('x'));

  await claimPart(processOf(2, { boot: 'later' }), of(folder.path));

  expect(await wasNamed(processOf(3), of(folder.path), folder.at('x'))).toBe(false);
});

test.each([
  ['of another start of the machine', processOf(2, { boot: 'later' }), of],
  ['of other bytes', processOf(2), (folder: string) => of(folder, 'b'.repeat(64))],
])('what is %s is begun anew', async (_what, deps, about) => {
  await using folder = temporaryFolder();
  const first = await claimPart(processOf(1), of(folder.path));
  writeFileSync(first.path, 'half');

  const second = await claimPart(deps, about(folder.path));

  expect(second.isBegun).toBe(false);
  expect(readdirSync(folder.path)).toEqual(['.aos-0123.note']);
});

test('two processes do not write one part', async () => {
  await using folder = temporaryFolder();
  await claimPart(processOf(1), of(folder.path));

  const attempt = claimPart(processOf(2, { alive: [1, 2] }), of(folder.path));

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.busy' });
});

test.each(['', '{', '[]', '{"hash":1}', 'x'.repeat(9999)])(
  'a note like %.10j says nothing, so all begins anew',
  async (text) => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('.aos-0123.note'), text);
    writeFileSync(folder.at('.aos-0123.part'), 'half');

    const part = await claimPart(processOf(1), of(folder.path));

    expect(part.isBegun).toBe(false);
  },
);

test('of many that take over at once, one gets it', async () => {
  await using folder = temporaryFolder();
  await claimPart(processOf(1), of(folder.path));
  const alive = [2, 3, 4, 5, 6];

  const tries = await Promise.allSettled(
    alive.map((pid) => claimPart(processOf(pid, { alive }), of(folder.path))),
  );

  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('two tries of one process do not write one part, and one after the other goes on', async () => {
  await using folder = temporaryFolder();
  const first = await claimPart(processOf(1), of(folder.path));
  writeFileSync(first.path, 'half');

  const meanwhile = claimPart(processOf(1), of(folder.path));
  await expect(meanwhile).rejects.toMatchObject({ code: 'transfer.busy' });
  first[Symbol.dispose]();
  const second = await claimPart(processOf(1), of(folder.path));

  expect(second).toMatchObject({ path: first.path, isBegun: true });
});
