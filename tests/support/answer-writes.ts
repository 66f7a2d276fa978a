/**
 * A program for tests: writes to a new ledger and says on stdout when each write is asked
 * for and when it is answered. `answer-writes.ts FILE [without-flush]`
 */
import { writeSync } from 'node:fs';
import { realClock, realEventLoop } from '../../src/engines/clock.ts';
import { chainHead } from '../../src/ledger/events.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/database.ts';
import { GroupCommit } from '../../src/ledger/sqlite/group-commit.ts';
import { SqliteConnection } from '../../src/ledger/sqlite/sqlite.ts';
import { openTestLedger } from './temporary-ledger.ts';

type WritableLedger = Pick<Ledger, 'transact'> & AsyncDisposable;

const callers = 8;
const writesEach = 10;
const [path = '', how] = process.argv.slice(2);

await using ledger = await openTestLedger(path);
if (how === 'without-flush') {
  await using unsafe = await openWithoutFlush();
  await writeAll(unsafe);
} else {
  await writeAll(ledger);
}

/** The ledger's own parts on a connection that leaves the flush out. */
async function openWithoutFlush(): Promise<WritableLedger> {
  const database = openSqlite(path);
  database.execute('pragma synchronous = off');
  const connection = new SqliteConnection(
    { database, clock: realClock, epoch: 1, onEvents: () => {}, onLost: () => {} },
    await chainHead(database),
  );
  const commits = new GroupCommit({ connection, clock: realClock, eventLoop: realEventLoop });
  return {
    transact: (work) => commits.transact(work),
    async [Symbol.asyncDispose]() {
      await commits.close();
      database[Symbol.dispose]();
    },
  };
}

async function writeAll(target: WritableLedger): Promise<void> {
  const names = Array.from({ length: callers }, (_, caller) => `caller-${caller}`);
  await Promise.all(
    names.map(async (name) => {
      for (let number = 0; number < writesEach; number++) await write(target, `${name}/${number}`);
    }),
  );
}

async function write(target: WritableLedger, subject: string): Promise<void> {
  // Not process.stdout, which may put off a write to a pipe.
  writeSync(1, `ask ${subject}\n`);
  await target.transact((tx) => tx.record({ actor: 'owner', kind: 'test.written', subject }));
  writeSync(1, `answer ${subject}\n`);
}
