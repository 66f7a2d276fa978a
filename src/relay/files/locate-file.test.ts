import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import type { MessageRow } from '../../ledger/messages.ts';
import { locateFile } from './locate-file.ts';

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
