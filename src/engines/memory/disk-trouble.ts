import { AosError } from '../../kernel/errors.ts';

const troubles = [
  { errcode: 13, code: 'disk.full', why: 'the disk is full' },
  { errcode: 8, code: 'disk.read-only', why: 'nothing may be written there' },
  { errcode: 10, code: 'disk.failed', why: 'the disk failed' },
  { errcode: 14, code: 'disk.failed', why: 'its file cannot be opened' },
  { errcode: 5, code: 'disk.failed', why: 'another program holds its file' },
] as const;

/** What SQLite complains of, in words; anything else as it is. */
export function diskTrouble(failure: unknown): unknown {
  if (!(failure instanceof Error) || !('errcode' in failure)) return failure;
  const errcode = Number(failure.errcode) & 0xff;
  const trouble = troubles.find((each) => each.errcode === errcode);
  if (trouble === undefined) return failure;
  return new AosError(trouble.code, {
    message: `The search index of memories cannot be used: ${trouble.why}`,
    fix: 'Make room on the disk of the home, or remove search.db, which is made anew',
    cause: failure,
  });
}
