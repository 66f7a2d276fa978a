/**
 * A file as it was at one moment, although others write to it: half of an old text and half of a
 * new one must not be taken for a text. A writer that pauses for longer than a moment between two
 * pieces cannot be told from one that is done.
 *
 * T1. What was written to while it was read is read again.
 * T2. A program that writes in pieces may be between two of them. So a file that was written to a
 *     moment ago counts only when it is the same a moment later.
 * T3. A file that was seen to get longer, and to change in no other way, as a log does, is what it
 *     was when it was read last.
 */
import { hasSameContent, readRest } from '../disk/durable-file.ts';
import type { Clock, FileIdentity, FileReader } from '../ports.ts';

export interface SteadyRead {
  readonly bytes: Uint8Array;
  /** As it was before and after. */
  readonly identity: FileIdentity;
}

const attempts = 8;
const momentMs = 15;

/** Like readRest(), of one moment; undefined where the file does not come to rest. */
export async function readSteadily(
  clock: Pick<Clock, 'now' | 'sleep'>,
  reader: FileReader,
  { offset, mostBytes }: { readonly offset: number; readonly mostBytes: number },
): Promise<SteadyRead | undefined> {
  let last: SteadyRead | undefined;
  let growth: 'unseen' | 'seen' | 'broken' = 'unseen';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const read = await readOnce(reader, offset, mostBytes);
    // T1
    if (read === undefined) continue;
    if (last !== undefined) {
      // T2
      if (isBeginning(read.bytes, last.bytes) && isBeginning(last.bytes, read.bytes)) return read;
      if (!isBeginning(read.bytes, last.bytes)) growth = 'broken';
      else if (growth === 'unseen') growth = 'seen';
    }
    const ageMs = clock.now() - read.identity.modifiedAt;
    if (ageMs < 0 || ageMs > momentMs) return read;
    last = read;
    await clock.sleep(momentMs);
  }
  // T3
  return growth === 'seen' ? last : undefined;
}

async function readOnce(
  reader: FileReader,
  offset: number,
  mostBytes: number,
): Promise<SteadyRead | undefined> {
  const identity = await reader.identity();
  const bytes = await readRest(reader, offset, mostBytes);
  return hasSameContent(identity, await reader.identity()) ? { bytes, identity } : undefined;
}

function isBeginning(whole: Uint8Array, part: Uint8Array): boolean {
  return Buffer.compare(whole.subarray(0, part.length), part) === 0;
}
