/** Who has seen which memory, so that a purge can erase it there too. */
import type { Sql, Transaction } from '../ledger.ts';

/** Each once, whoever asks how often. */
export async function noteMemoryUses(
  tx: Transaction,
  ids: readonly number[],
  user: string,
): Promise<void> {
  await tx.run(
    `insert into memory_uses (memory, user) select value, $2 from json_each($1)
     where true on conflict do nothing`,
    [JSON.stringify(ids), user],
  );
}

/** What is copied from one has been seen by the other. */
export async function copyMemoryUses(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run(
    `insert into memory_uses (memory, user) select memory, $2 from memory_uses where user = $1
     on conflict do nothing`,
    [from, to],
  );
}

export async function dropMemoryUses(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.run('delete from memory_uses where memory in (select value from json_each($1))', [
    JSON.stringify(ids),
  ]);
}

/** Who has seen them, with where they came from. */
export async function usersOfMemories(sql: Sql, ids: readonly number[]): Promise<string[]> {
  const rows = await sql.all<{ user: string }>(
    `select user from memory_uses where memory in (select value from json_each($1))
     union select source from memories where id in (select value from json_each($1))
     order by 1`,
    [JSON.stringify(ids)],
  );
  return rows.map(({ user }) => user);
}

/** In place of a memory: what a purge has yet to erase. */
const debts = 0;

/** Somebody who has seen what was purged, and could not be dealt with yet. */
export async function keepPurgeDebt(tx: Transaction, user: string): Promise<void> {
  await noteMemoryUses(tx, [debts], user);
}

export async function isToBePurged(sql: Sql, operation: string): Promise<boolean> {
  const user = `operation:${operation}`;
  const found = await sql.get('select 1 from memory_uses where memory = $1 and user = $2', [
    debts,
    user,
  ]);
  return found !== undefined;
}

export function purgeDebts(sql: Sql): Promise<string[]> {
  return usersOfMemories(sql, [debts]);
}

export async function settlePurgeDebt(tx: Transaction, user: string): Promise<void> {
  await tx.run('delete from memory_uses where memory = $1 and user = $2', [debts, user]);
}
