/** What a real disk does too rarely to be waited for: a flush that fails. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { realEventLoop } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { AosError } from '../../kernel/errors.ts';
import { chainStart } from '../events.ts';
import { type SqlParameters, type Transaction, writeState } from '../ledger.ts';
import { SqliteDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { readMigrations } from './migrate.ts';
import { SqliteConnection } from './sqlite.ts';

/** A database whose next commit fails as that of a disk does. */
class FailingDatabase extends SqliteDatabase {
  code: 'ledger.failed' | 'ledger.full' | undefined;

  override runNow(text: string, parameters?: SqlParameters): number {
    if (text === 'commit' && this.code !== undefined) {
      const { code } = this;
      this.code = undefined;
      throw new AosError(code, { message: 'as the disk says' });
    }
    return super.runNow(text, parameters);
  }
}

async function world() {
  const memory = new DatabaseSync(':memory:');
  for (const { text } of await readMigrations(realDisk)) memory.exec(text);
  memory.exec(`insert into orchestrator_state (key, value) values ('epoch', '1')`);
  const database = new FailingDatabase(memory, ':memory:');
  const lost: string[] = [];
  const clock = { now: () => 1, monotonicMs: () => 1 };
  const connection = new SqliteConnection(
    { database, clock, epoch: 1, onEvents: () => {}, onLost: ({ code }) => lost.push(code) },
    chainStart,
  );
  const commits = new GroupCommit({ connection, clock, eventLoop: realEventLoop });
  return { database, lost, commits, [Symbol.dispose]: () => memory.close() };
}

const put = (key: string) => async (tx: Transaction) => {
  await writeState(tx, key, '1', 1);
  await tx.record({ actor: 'owner', kind: 'test.put', subject: key });
};

test('after a flush that failed nothing more is written, and whoever owns it is told once', async () => {
  using here = await world();
  await here.commits.transact(put('a'));
  here.database.code = 'ledger.failed';

  const results = await Promise.allSettled(
    ['b', 'c'].map((key) => here.commits.transact(put(key))),
  );
  const later = here.commits.transact(put('d'));

  await expect(later).rejects.toMatchObject({ code: 'ledger.failed' });
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(here.lost).toEqual(['ledger.failed']);
  expect(await here.database.all('select subject from events')).toMatchObject([{ subject: 'a' }]);
});

test('after a commit for which there was no room the next one works', async () => {
  using here = await world();
  here.database.code = 'ledger.full';

  await expect(here.commits.transact(put('a'))).rejects.toMatchObject({ code: 'ledger.full' });
  await here.commits.transact(put('b'));

  expect(here.lost).toEqual([]);
  expect(await here.database.all('select seq, subject from events')).toMatchObject([
    { seq: 1, subject: 'b' },
  ]);
});
