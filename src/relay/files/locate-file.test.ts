import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { isRoot } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import type { MessageRow } from '../../ledger/messages/messages.ts';
import { locateFile } from './archive.ts';

const archive = '/home/archive/2030-01-01/jean';
const outbox = '/home/agents/jean/outbox';
const at = Date.UTC(2030, 0, 1);

/** A home in which jean's message `a.msg` was accepted, and its file lies in the outbox. */
async function place() {
  const disk = new SimulatedDisk({ seed: 1, clock: new SimulatedClock() });
  for (const path of ['/home', '/home/agents', '/home/agents/jean', outbox]) {
    await disk.makeFolder(path);
  }
  for (const path of ['/home/archive', '/home/archive/2030-01-01', archive]) {
    await disk.makeFolder(path);
  }
  const write = async (path: string, text: string): Promise<void> => {
    await using writer = await disk.create(path);
    await writer.append(Buffer.from(text));
  };
  const read = async (path: string): Promise<string> => {
    await using reader = await disk.read(path);
    return Buffer.from(await reader.readAt(0, 1000)).toString();
  };
  await write(`${outbox}/a.msg`, 'first');
  const entry = await disk.stat(`${outbox}/a.msg`);
  // The columns that tell where it came from.
  const message = {
    message_id: '01',
    agent_name: 'jean',
    source_name: 'a',
    discovered_at: at,
    file_path: 'agents/jean/outbox/a.msg',
    file_size: entry?.sizeBytes,
    file_mtime_ns: entry?.modifiedNs,
    file_inode: entry?.inode,
  } as MessageRow;
  const locate = () => locateFile(disk, '/home', message);
  return { disk, write, read, locate };
}

test('a file that was not moved is in the outbox', async () => {
  const { locate } = await place();

  expect(await locate()).toBe('outbox');
});

test('a file that was moved is in the archive, also when its name is used again', async () => {
  const { disk, write, locate } = await place();
  await disk.rename(`${outbox}/a.msg`, `${archive}/a.msg`);
  await write(`${outbox}/a.msg`, 'other');

  expect(await locate()).toBe('archive');
});

test('another file that was moved in its place goes back to the outbox', async () => {
  const { disk, write, read, locate } = await place();
  await disk.remove(`${outbox}/a.msg`);
  await write(`${archive}/a.msg`, 'other');

  expect(await locate()).toBe('gone');
  expect(await disk.list(outbox)).toEqual(['a.msg']);
  expect(await read(`${outbox}/a.msg`)).toBe('other');
  expect(await disk.list(archive)).toEqual([]);
});

test('and replaces nothing that stands there by now', async () => {
  const { disk, write, read, locate } = await place();
  await disk.remove(`${outbox}/a.msg`);
  await write(`${archive}/a.msg`, 'second');
  await write(`${outbox}/a.msg`, 'third');

  expect(await locate()).toBe('gone');
  expect(await read(`${outbox}/a.2.msg`)).toBe('second');
  expect(await read(`${outbox}/a.msg`)).toBe('third');
});

test('a file that is nowhere is gone, also where the outbox is no folder any more', async () => {
  const { disk, write, locate } = await place();
  await disk.remove(`${outbox}/a.msg`);
  expect(await locate()).toBe('gone');

  await disk.remove(outbox);
  await write(outbox, 'a file');

  expect(await locate()).toBe('gone');
});

describe.skipIf(!isRoot)('of an outbox that is its agent’s own', () => {
  const uid = 2_100_000_031;

  /** What lies in the archive is of this owner, and not the file that was accepted. */
  async function located(owner: number) {
    const home = temporaryFolder();
    mkdirSync(home.at('agents/jean/outbox'), { recursive: true });
    mkdirSync(home.at('archive/2030-01-01/jean'), { recursive: true });
    chownSync(home.at('agents/jean/outbox'), uid, uid);
    const archived = home.at('archive/2030-01-01/jean/a.msg');
    writeFileSync(archived, 'text');
    chownSync(archived, owner, owner);
    // The columns that tell where it came from.
    const message = {
      ...{ message_id: '01', agent_name: 'jean', source_name: 'a', discovered_at: at },
      ...{ file_path: 'agents/jean/outbox/a.msg', file_size: 4, file_mtime_ns: '1' },
      file_inode: '1',
    } as MessageRow;
    return { home, where: await locateFile(realDisk, home.path, message) };
  }

  test('the daemon’s copy in the archive is what was read', async () => {
    const { home, where } = await located(0);
    await using _ = home;

    expect(where).toBe('archive');
    expect(existsSync(home.at('agents/jean/outbox/a.msg'))).toBe(false);
  });

  test('the file itself, of which no copy was made yet, is not kept', async () => {
    await using home = temporaryFolder();
    mkdirSync(home.at('agents/jean/outbox'), { recursive: true });
    mkdirSync(home.at('archive/2030-01-01/jean'), { recursive: true });
    chownSync(home.at('agents/jean/outbox'), uid, uid);
    const archived = home.at('archive/2030-01-01/jean/a.msg');
    writeFileSync(archived, 'text');
    chownSync(archived, uid, uid);
    const entry = await realDisk.stat(archived);
    // The columns that tell where it came from.
    const message = {
      ...{ message_id: '01', agent_name: 'jean', source_name: 'a', discovered_at: at },
      ...{ file_path: 'agents/jean/outbox/a.msg', file_size: 4 },
      ...{ file_mtime_ns: entry?.modifiedNs, file_inode: entry?.inode },
    } as MessageRow;

    const where = await locateFile(realDisk, home.path, message);

    expect(where).toBe('gone');
    expect(existsSync(archived)).toBe(false);
  });

  test('another file of the agent’s that was moved in its place goes back', async () => {
    const { home, where } = await located(uid);
    await using _ = home;

    expect(where).toBe('gone');
    expect(existsSync(home.at('agents/jean/outbox/a.msg'))).toBe(true);
  });
});
