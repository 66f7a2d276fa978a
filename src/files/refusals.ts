import { AosError } from '../kernel/errors.ts';
import {
  conflictWords,
  deniedWords,
  notAFolderWords,
  notFoundWords,
  notRegularWords,
  type Words,
} from './codes.ts';

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

/** What is mounted in a folder is not what somebody means who names the folder. */
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
