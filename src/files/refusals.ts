/**
 * What goes wrong, in the words of the file agent: plain, without a stack, without what the system
 * calls it, and without a path that the caller did not name.
 */
import { AosError, type ErrorCode } from '../kernel/errors.ts';

export function changed(): AosError {
  return new AosError('files.changed', {
    message: 'It is not what it was when the plan was made, so I leave it alone',
    fix: 'Ask again, and look at the new plan',
  });
}

export function beingWritten(): AosError {
  return new AosError('files.changed', {
    message: 'Somebody writes to that file all the time, so I cannot tell what is in it',
    fix: 'Try again when that is done',
  });
}

export function taken(): AosError {
  return said(conflictWords);
}

export function notFound(): AosError {
  return said(notFoundWords);
}

export function notRegular(): AosError {
  return said(notRegularWords);
}

/** With what helps in this case. */
export function permissionDenied(fix: string): AosError {
  return said({ ...deniedWords, fix });
}

export function notAFolder(fix: string): AosError {
  return said({ ...notAFolderWords, fix });
}

function said({ code, ...words }: Words): AosError {
  return new AosError(code, words);
}

/** What is mounted in a folder is not meant by the name of the folder. */
export function otherDisk(): AosError {
  return new AosError('files.other-disk', {
    message: 'Another disk begins inside that folder, so I leave the folder where it is',
    fix: 'Take what is in the folder, or unmount the other disk first',
  });
}

/** What the system called it, where it was the system that refused. */
export function systemCode(failure: unknown): string | undefined {
  if (!(failure instanceof AosError)) return undefined;
  const { details } = failure;
  const known = typeof details === 'object' && details !== null && 'os_code' in details;
  return known && typeof details.os_code === 'string' ? details.os_code : undefined;
}

/** The trash notes where each file was, and that takes room on the disk which the file is on. */
export function plainerIfNoRoom(failure: unknown): unknown {
  if (!(failure instanceof AosError) || failure.code !== 'disk.full') return failure;
  return new AosError('files.no-space', {
    message:
      'That disk is full, and the trash has no room to note where the file was: free some space there, or delete something for ever (--permanent)',
    fix: 'Free some space there, then try again',
    cause: failure,
  });
}

/** `files.not-found` is `NOT_FOUND` on the interface of the file agent, and so one to one. */
export function wireCode(code: ErrorCode): string {
  return code
    .replace(/^files\./, '')
    .replaceAll('-', '_')
    .toUpperCase();
}

/** A failure as a `files.*` error; what is none of ours (an abort, a bug) as it is. */
export function toFilesError(failure: unknown): unknown {
  if (!(failure instanceof AosError) || failure.code.startsWith('files.')) return failure;
  const known = words[failure.code];
  if (known === undefined) return failure;
  return new AosError(known.code, { ...known, cause: failure });
}

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fix: string;
}

const notFoundWords: Words = {
  code: 'files.not-found',
  message: "I couldn't find a file at that path",
  fix: 'Check the path, or search: aos files "find …"',
};
const deniedWords: Words = {
  code: 'files.permission-denied',
  message: "I don't have permission to access that file",
  fix: 'Check who owns it; for an agent: aos cap check AGENT read file:PATH --why',
};
const noSpace: Words = {
  code: 'files.no-space',
  message: "There isn't enough disk space to complete this",
  fix: 'Free some space, then try again',
};
const invalidPath: Words = {
  code: 'files.invalid-path',
  message: 'That is no path that a disk can have',
  fix: 'Keep each name within 255 bytes, the whole within 4,096, and leave out NUL',
};
const notRegularWords: Words = {
  code: 'files.not-a-regular-file',
  message: 'That is not an ordinary file, so I leave it alone',
  fix: 'Name a file',
};
const conflictWords: Words = {
  code: 'files.conflict',
  message: 'Something has that name already',
  fix: 'Choose another name, or say options.on_conflict',
};
const notAFolderWords: Words = {
  code: 'files.not-a-folder',
  message: 'Something on the way to that path is not a folder',
  fix: 'Check the path',
};
const failed: Words = {
  code: 'files.failed',
  message: 'The disk did not do what I asked of it',
  fix: 'Try again; if it stays so, look into the system log',
};

const words: Partial<Record<ErrorCode, Words>> = {
  'disk.missing': notFoundWords,
  'file.missing': notFoundWords,
  'disk.denied': deniedWords,
  'capability.denied': deniedWords,
  'capability.used-up': deniedWords,
  'disk.full': noSpace,
  'disk.bad-name': invalidPath,
  'file.bad-path': invalidPath,
  'disk.not-a-file': notRegularWords,
  'file.not-a-file': notRegularWords,
  'disk.exists': conflictWords,
  'file.exists': conflictWords,
  'disk.not-empty': conflictWords,
  'disk.failed': failed,
  'disk.too-many-open': failed,
  'disk.not-a-folder': notAFolderWords,
  'disk.read-only': {
    code: 'files.read-only',
    message: 'That disk can only be read',
    fix: 'Choose a folder on another disk',
  },
  'disk.too-large': {
    code: 'files.too-large',
    message: 'That file is larger than I can take at once',
    fix: 'Take a part of it',
  },
  'file.changed': {
    code: 'files.changed',
    message: 'Somebody changed that while I was looking at it',
    fix: 'Try again',
  },
  'file.other-disk': {
    code: 'files.other-disk',
    message: 'That lies on another disk, which the grant does not name',
    fix: 'Ask for a grant that names the folder behind which the other disk begins',
  },
  'tool.timeout': {
    code: 'files.timeout',
    message: 'That took longer than it may',
    fix: 'Ask for less at a time',
  },
};
