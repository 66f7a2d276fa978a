/**
 * The files that messages came in: which of them were accepted before (accept.ts, A2), and
 * under which name each is on record and in the archive.
 */
import type { KnownFile } from '../ledger/messages/messages.ts';
import type { Acceptance, ArchivePlace, FileSource } from './envelope.ts';
import type { Letter, Posting } from './posting.ts';

export function isSameFile(known: KnownFile, source: FileSource): boolean {
  return (
    known.file_size === source.sizeBytes &&
    known.file_mtime_ns === source.modifiedNs &&
    known.file_inode === source.inode
  );
}

/** Its own stem, or, when that was used before, one that nobody has used and that sorts last. */
export function nextName(posting: Posting, stem: string, known: readonly KnownFile[]): string {
  if (known.length === 0) return stem;
  const stamped = `${stem}~${posting.core.stamps.next(posting.now)}`;
  // A file may itself be called so.
  const isTaken = known.some(({ source_name }) => (source_name ?? '') >= stamped);
  return isTaken ? `${stem}~${posting.newId()}` : stamped;
}

/** Another file, or call, that says what was said before; its own file has its own place. */
export function repeated(
  posting: Posting,
  before: KnownFile,
  stem: string | undefined,
): Acceptance {
  const { message_id: id, agent_name: agent } = before;
  return {
    kind: 'duplicate',
    id,
    archive: stem === undefined ? undefined : { agent, stem, at: posting.now },
  };
}

export function duplicate(before: KnownFile): Acceptance {
  const { message_id: id, agent_name: agent, source_name: stem, discovered_at: at } = before;
  return { kind: 'duplicate', id, archive: stem === null ? undefined : { agent, stem, at } };
}

export function archiveOf(posting: Posting, letter: Letter): ArchivePlace | undefined {
  const { source, sender } = letter;
  if (source === undefined) return undefined;
  return { agent: sender, stem: letter.sourceName ?? source.stem, at: posting.now };
}
