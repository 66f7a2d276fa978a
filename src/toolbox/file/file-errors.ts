/** What the disk refuses, in the words of a tool's caller: with the path that it named. */
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

export function toFileError(failure: unknown, path: string): unknown {
  if (!(failure instanceof AosError)) return failure;
  const words = wordsOf(failure.code, quote(path));
  if (words !== undefined) return new AosError(words.code, { ...words, cause: failure });
  // It may name a file that is there only while another is written.
  const osCode = osCodeIn(failure);
  return osCode === undefined ? failure : diskError(osCode, path, failure);
}

function wordsOf(code: ErrorCode, path: string) {
  switch (code) {
    case 'disk.missing':
      return {
        code: 'file.missing',
        message: `There is no ${path}, or no folder to hold it`,
        fix: 'Check the path',
      } as const;
    case 'disk.not-a-folder':
      return {
        code: 'file.missing',
        message: `There is no ${path}: something on the way to it is not a folder`,
        fix: 'Check the path',
      } as const;
    case 'disk.not-a-file':
      return {
        code: 'file.not-a-file',
        message: `${path} is not an ordinary file but a folder, a symlink or a device`,
        fix: 'Name a file',
      } as const;
    case 'disk.exists':
      return {
        code: 'file.exists',
        message: `There is something at ${path} already`,
        fix: 'Choose another name, or say if_exists: replace',
      } as const;
    case 'disk.bad-name':
      return {
        code: 'file.bad-path',
        message: `The disk cannot use ${path} as a path`,
        fix: 'Keep each name within 255 bytes',
      } as const;
    default:
      return undefined;
  }
}

function osCodeIn({ code, details }: AosError): string | undefined {
  if (!code.startsWith('disk.') || typeof details !== 'object' || details === null)
    return undefined;
  const osCode = 'os_code' in details ? details.os_code : undefined;
  return typeof osCode === 'string' ? osCode : undefined;
}
