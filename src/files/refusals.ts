import { AosError } from '../kernel/errors.ts';

export function changed(): AosError {
  return new AosError('files.changed', {
    message: 'It is not what it was when the plan was made, so I leave it alone',
    fix: 'Ask again, and look at the new plan',
  });
}

export function taken(): AosError {
  return new AosError('files.conflict', {
    message: 'Something has that name already',
    fix: 'Choose another name, or say options.on_conflict',
  });
}

export function notFound(): AosError {
  return new AosError('files.not-found', {
    message: "I couldn't find a file at that path",
    fix: 'Check the path, or search: aos files "find …"',
  });
}

export function notRegular(): AosError {
  return new AosError('files.not-a-regular-file', {
    message: 'That is not an ordinary file, so I leave it alone',
    fix: 'Name a file',
  });
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
