/** What SQLite refuses, in words that say what to do. */
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

interface SqliteFault {
  readonly code: ErrorCode;
  readonly sentence: (quotedPath: string) => string;
  readonly fix: string;
}

const corrupt: SqliteFault = {
  code: 'ledger.corrupt',
  sentence: (path) => `The ledger ${path} is damaged`,
  fix: 'Stop the daemon and put a backup back: aos restore FILE --replace',
};

const readOnly: SqliteFault = {
  code: 'ledger.read-only',
  sentence: (path) => `The ledger ${path} can only be read`,
  fix: 'Make the home folder and its disk writable for yourself; "aos doctor" says more',
};

/** By SQLite's primary result codes (sqlite.org/rescode.html). */
const faults: Readonly<Record<number, SqliteFault>> = {
  5: {
    code: 'ledger.busy',
    sentence: (path) => `Another program holds the ledger ${path} locked`,
    fix: 'Close whatever has it open (the sqlite3 shell, a viewer), then try again',
  },
  8: readOnly,
  10: {
    code: 'ledger.failed',
    sentence: (path) => `The disk failed under the ledger ${path}`,
    fix: 'Look at the system log for errors of the disk, then start the daemon again',
  },
  11: corrupt,
  13: {
    code: 'ledger.full',
    sentence: (path) =>
      `There is no room left on the disk for the ledger ${path}; nothing was lost`,
    fix: 'Free some space; "aos du" shows what takes it, "aos gc" removes what is not needed',
  },
  14: {
    code: 'ledger.unreadable',
    sentence: (path) => `The ledger ${path} cannot be opened`,
    fix: 'Check who owns the home folder, and its permissions; "aos doctor" says more',
  },
  26: corrupt,
};

/** The primary code of what SQLite threw; undefined when it was something else. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  // The upper bits say more about the same fault.
  return typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined;
}

/** What to tell; anything that is no fault of the file or the disk stays what it is. */
export function toLedgerError(thrown: unknown, path: string): unknown {
  const fault = isImpossibleNumber(thrown) ? corrupt : faults[sqliteCodeOf(thrown) ?? 0];
  return fault === undefined ? thrown : inWords(fault, path, thrown);
}

/**
 * Whether a row could not be read because of a number in it: Node hands out none beyond what
 * it can count exactly, and Agent OS never writes one.
 */
export function isImpossibleNumber(thrown: unknown): boolean {
  const first = thrown instanceof AosError ? thrown.cause : thrown;
  if (!(first instanceof RangeError) || !('code' in first)) return false;
  // The code alone is that of many a bug, too.
  return first.code === 'ERR_OUT_OF_RANGE' && first.message.includes('JavaScript number');
}

export function ledgerReadOnly(path: string, cause: unknown): AosError {
  return inWords(readOnly, path, cause);
}

function inWords({ code, sentence, fix }: SqliteFault, path: string, cause: unknown): AosError {
  return new AosError(code, { message: sentence(quote(path)), fix, cause });
}
