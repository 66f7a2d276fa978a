/** A file as people read of it. What only the system needs is told on request. */
import type { FoundFile } from '../../kernel/files/look.ts';
import { extensionOf, typeOfExtension, wordsOfType } from '../../kernel/files/types.ts';
import { momentWords, sizeWords } from '../../kernel/files/words.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { timeText } from '../../kernel/text/time-text.ts';

export interface DescribedFile {
  readonly name: string;
  readonly path: string;
  readonly kind: FoundFile['kind'];
  /** e.g. "3.4 MB". */
  readonly size: string;
  readonly size_bytes: number;
  /** e.g. "PDF document". */
  readonly type: string;
  /** e.g. "3 November 2026, 14:05". */
  readonly modified: string;
  readonly modified_at: string;
  readonly taken?: string | undefined;
  readonly taken_at?: string | undefined;
  /** It does not say when it was taken: that is when it was changed. */
  readonly taken_guessed?: boolean | undefined;
  readonly technical?: object | undefined;
}

export function describedFile(
  zone: TimeZone,
  file: FoundFile,
  { technical = false }: { readonly technical?: boolean | undefined } = {},
): DescribedFile {
  const { path, kind, sizeBytes, modifiedAt, takenAt } = file;
  return {
    ...{ name: path.slice(path.lastIndexOf('/') + 1), path, kind },
    ...{ size: kind === 'folder' ? '' : sizeWords(sizeBytes), size_bytes: sizeBytes },
    type: typeWords(file),
    ...{ modified: momentWords(zone, modifiedAt), modified_at: timeText(modifiedAt) },
    ...(takenAt === undefined ? {} : takenWords(zone, file, takenAt)),
    ...(technical ? { technical: technicalFacts(file) } : {}),
  };
}

/** By what is in it where that was looked at, else by its name. */
function typeWords({ kind, path, type, sizeBytes }: FoundFile): string {
  if (kind === 'folder') return 'folder';
  if (kind === 'symlink') return 'link';
  if (kind === 'other') return 'special file';
  if (type !== undefined) return wordsOfType(type);
  if (sizeBytes === 0) return 'empty file';
  const extension = extensionOf(path.slice(path.lastIndexOf('/') + 1));
  const known = typeOfExtension(extension)?.words;
  return known ?? (/^[a-z0-9]{1,8}$/.test(extension) ? `${extension.toUpperCase()} file` : 'file');
}

function takenWords(zone: TimeZone, { isTakenGuessed }: FoundFile, takenAt: number) {
  return {
    taken: momentWords(zone, takenAt),
    taken_at: timeText(takenAt),
    ...(isTakenGuessed === true ? { taken_guessed: true } : {}),
  };
}

function technicalFacts({ inode, device, mode, ownerUid, links, allocatedBytes }: FoundFile) {
  return {
    ...{ inode, device, mode: mode.toString(8).padStart(3, '0'), owner_uid: ownerUid, links },
    allocated_bytes: allocatedBytes,
  };
}
