/** What the system refuses about files, as `disk.*` errors. */
import { AosError, type ErrorCode } from '../errors.ts';
import { quote } from '../text/quote.ts';

interface DiskFault {
  readonly code: ErrorCode;
  readonly osCodes: readonly string[];
  readonly sentence: (quotedPath: string) => string;
  readonly fix: string;
}

const faults: readonly DiskFault[] = [
  {
    code: 'disk.missing',
    osCodes: ['ENOENT'],
    sentence: (path) => `${path}, or a folder on the way to it, does not exist`,
    fix: 'Check the spelling of the path, or make the folder first',
  },
  {
    code: 'disk.exists',
    osCodes: ['EEXIST'],
    sentence: (path) => `The name ${path} is taken already`,
    fix: 'Choose another name, or remove what stands there first',
  },
  {
    code: 'disk.denied',
    osCodes: ['EACCES', 'EPERM'],
    sentence: (path) => `The system does not let this user do that to ${path}`,
    fix: 'Check who owns it and its folder, and their permissions',
  },
  {
    code: 'disk.full',
    osCodes: ['ENOSPC', 'EDQUOT'],
    sentence: (path) => `There is no room left on the disk for ${path}`,
    fix: 'Remove files there that are not needed, or raise the quota of this user',
  },
  {
    code: 'disk.read-only',
    osCodes: ['EROFS'],
    sentence: (path) => `The disk that holds ${path} can only be read`,
    fix: 'Mount it for writing, or choose a folder on another disk',
  },
  {
    code: 'disk.not-a-folder',
    osCodes: ['ENOTDIR'],
    sentence: (path) => `${path}, or something on the way to it, is not a folder`,
    fix: 'Give the path of a folder',
  },
  {
    code: 'disk.not-a-file',
    // ENXIO and ENODEV come from sockets and from devices that are not plugged in.
    osCodes: ['EISDIR', 'ELOOP', 'ENXIO', 'ENODEV'],
    sentence: (path) => `${path} is not an ordinary file but a folder, a symlink or a device`,
    fix: 'Give the path of the file itself',
  },
  {
    code: 'disk.not-empty',
    osCodes: ['ENOTEMPTY'],
    sentence: (path) => `The folder ${path} is not empty`,
    fix: 'Remove what is in it first',
  },
  {
    code: 'disk.too-many-open',
    osCodes: ['EMFILE', 'ENFILE'],
    sentence: (path) => `${path} cannot be opened while so many other files are open`,
    fix: 'Raise the limit before the start: ulimit -n 65536',
  },
  {
    code: 'disk.bad-name',
    osCodes: ['ENAMETOOLONG', 'EINVAL', 'ERR_INVALID_ARG_VALUE'],
    sentence: (path) => `The disk cannot use ${path} as a path here`,
    fix: 'Keep each name within 255 bytes and free of NUL, and move no folder into itself',
  },
];

const anyOtherFault: DiskFault = {
  code: 'disk.failed',
  osCodes: [],
  sentence: (path) => `The disk failed at ${path}`,
  fix: 'Look for disk errors in the system log, then try again',
};

/** The error that people read when the system answers `osCode` for a path. */
export function diskError(osCode: string | undefined, path: string, cause?: unknown): AosError {
  const fault = faults.find(({ osCodes }) => osCode !== undefined && osCodes.includes(osCode));
  const { code, sentence, fix } = fault ?? anyOtherFault;
  const details = osCode === undefined ? undefined : { os_code: osCode };
  return new AosError(code, { message: sentence(quote(path)), fix, details, cause });
}

/** Whatever a system call threw, as a disk error about `path`. */
export function toDiskError(thrown: unknown, path: string): AosError {
  return thrown instanceof AosError ? thrown : diskError(osCodeOf(thrown), path, thrown);
}

/** Whether the disk failed because something is not there. */
export function isMissing(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'disk.missing';
}

/** To be caught with, where nothing being there is as good. */
export function ignoreMissing(failure: unknown): undefined {
  if (!isMissing(failure)) throw failure;
}

/** Whether the disk failed because something stands there already. */
export function isTaken(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'disk.exists';
}

/** `'ENOENT'` and its like; undefined for what no system call threw. */
export function osCodeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
