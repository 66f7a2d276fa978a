/** The list of a folder that is to be received, which stands before its files. */
import { AosError } from '../../kernel/errors.ts';
import {
  type FolderEntry,
  headLineBytes,
  parseFolderList,
  parseListHead,
} from '../../kernel/files/folder-list.ts';
import type { ReceiveOptions } from './ends.ts';
import { type BodyParts, openBody } from './open-body.ts';

export interface FolderList {
  readonly entries: readonly FolderEntry[];
  /** As it was sent; the first file begins behind it. */
  readonly list: Uint8Array;
}

export async function readFolderList(
  body: BodyParts,
  { signal, allowCaseClash }: ReceiveOptions,
): Promise<FolderList> {
  const { file_size_bytes: size } = body.opened.transfer;
  const head = parseListHead(await plainBytes(body, 0, Math.min(headLineBytes, size), signal));
  const listBytes = head.headBytes + head.listBytes;
  if (listBytes > size) throw tooShort();
  const list = await plainBytes(body, 0, listBytes, signal);
  const entries = parseFolderList(head, list.subarray(head.headBytes), { allowCaseClash });
  const files = entries.reduce(
    (sum, entry) => sum + (entry.kind === 'file' ? entry.sizeBytes : 0),
    0,
  );
  if (listBytes + files !== size) throw tooShort();
  return { entries, list };
}

/** In memory: `folderLimits` says how many at most. */
async function plainBytes(
  body: BodyParts,
  from: number,
  to: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, to - from));
  if (bytes.length === 0) return bytes;
  const take = async (part: Uint8Array, offset: number) => bytes.set(part, offset - from);
  await openBody(body, { from, to, signal, take });
  return bytes;
}

function tooShort(): AosError {
  return new AosError('transfer.bad-folder', {
    message: 'The folder cannot be received: its files are not as large as its list says',
    fix: 'Ask the sender what it is; nothing of it was written under its name',
  });
}
