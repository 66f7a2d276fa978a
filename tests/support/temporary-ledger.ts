import { realClock } from '../../src/app/engines/clock.ts';
import { realDisk } from '../../src/app/engines/disk.ts';
import { realEventLoop } from '../../src/app/engines/event-loop.ts';
import type { AosError } from '../../src/kernel/errors.ts';
import type { Clock, Disk } from '../../src/kernel/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface LedgerChoices {
  readonly epoch?: number;
  readonly clock?: Clock;
  readonly disk?: Disk;
  readonly onLost?: (why: AosError) => void;
}

/** The real ledger in that file, on the real disk. */
export function openTestLedger(path: string, choices: LedgerChoices = {}): Promise<Ledger> {
  const { epoch = 1, clock = realClock, disk = realDisk, onLost = () => {} } = choices;
  return openSqliteLedger({ disk, clock, eventLoop: realEventLoop }, { path, epoch, onLost });
}

export interface TemporaryLedger extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly folder: string;
  readonly path: string;
}

/** A new ledger that is gone when the `await using` block ends. */
export async function temporaryLedger(choices: LedgerChoices = {}): Promise<TemporaryLedger> {
  const folder = temporaryFolder();
  const path = folder.at('ledger.db');
  const ledger = await openTestLedger(path, choices);
  return {
    ledger,
    folder: folder.path,
    path,
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
