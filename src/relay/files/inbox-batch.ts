/**
 * Files on their way into an inbox, so that a process that dies in between does not leave it
 * open which of them got there: an agent may take a file away as soon as it has its name.
 *
 * R1. The files are written below `run/inboxes` first, then a record of all their names,
 *     then each file gets its place in the inbox by a rename.
 * R2. So of a batch with a whole record, the files that are no longer below `run/inboxes`
 *     have reached the inbox. Without a record, none has.
 * R3. The record goes first when the ledger knows of them, then what is left of the files.
 *
 * Nothing is flushed. Not below `tmp`, because that is emptied before anybody can ask.
 */

import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { isMissing } from '../../kernel/disk/errors.ts';
import { removeQuietly } from '../../kernel/disk/folders.ts';
import type { Disk } from '../../kernel/ports.ts';
import type { InboxFile } from '../delivery/inboxes.ts';

export function batchFolder(home: string): string {
  return `${home}/run/inboxes`;
}

export interface BatchRecord {
  readonly recipient: string;
  readonly names: readonly string[];
}

const recordEnd = '.batch';
const longestRecordBytes = 16 * 1024 * 1024;

/** R1: the files and the record. */
export async function stageBatch(
  bulk: BulkDisk,
  base: string,
  recipient: string,
  files: readonly InboxFile[],
): Promise<void> {
  await bulk.writeFiles(files.map(({ text }, index) => ({ path: stagedPath(base, index), text })));
  const record: BatchRecord = { recipient, names: files.map(({ name }) => name) };
  // The line's end shows that it is whole.
  await bulk.writeFiles([{ path: base + recordEnd, text: `${JSON.stringify(record)}\n` }]);
}

export function stagedPath(base: string, index: number): string {
  return `${base}.${index}`;
}

/** R3. What the disk refuses to remove is swept at the next start. */
export async function clearBatch(disk: Disk, base: string, staged: Iterable<number>) {
  await removeQuietly(disk, base + recordEnd);
  for (const index of staged) await removeQuietly(disk, stagedPath(base, index));
}

export interface FoundBatch extends BatchRecord {
  readonly base: string;
  /** The indexes of the files that have not reached the inbox. */
  readonly staged: readonly number[];
}

/** What processes before this one left; files without a record are removed (R2). */
export async function findBatches(
  disk: Disk,
  home: string,
  own: ReadonlySet<string>,
): Promise<FoundBatch[]> {
  const folder = batchFolder(home);
  const found: FoundBatch[] = [];
  const byBase = Map.groupBy(await namesIn(disk, folder), (name) => name.split('.')[0] ?? '');
  for (const [key, names] of byBase) {
    const base = `${folder}/${key}`;
    if (own.has(base)) continue;
    const record = await readRecord(disk, base);
    const staged = names.map((name) => Number(name.slice(key.length + 1))).filter(Number.isInteger);
    if (record === undefined) await clearBatch(disk, base, staged);
    else found.push({ ...record, base, staged });
  }
  return found;
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    return await disk.list(folder);
  } catch (failure) {
    if (isMissing(failure)) return [];
    throw failure;
  }
}

async function readRecord(disk: Disk, base: string): Promise<BatchRecord | undefined> {
  try {
    const bytes = await readWholeFile(disk, base + recordEnd, longestRecordBytes);
    const text = Buffer.from(bytes).toString();
    return text.endsWith('\n') ? asRecord(JSON.parse(text)) : undefined;
  } catch (failure) {
    const isNone = failure instanceof SyntaxError || isMissing(failure);
    if (isNone) return undefined;
    throw failure;
  }
}

function asRecord(value: unknown): BatchRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('recipient' in value) || !('names' in value)) return undefined;
  const { recipient, names } = value;
  if (typeof recipient !== 'string' || !Array.isArray(names)) return undefined;
  return { recipient, names: names.map(String) };
}
