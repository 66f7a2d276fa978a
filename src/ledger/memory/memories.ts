/**
 * What agents remember, as rows.
 *
 * M1. A version is never changed but for its end: when it stopped being so, when it expires, when
 *     it was forgotten; and for its pin. What has expired is emptied, and `purge` hides rows and
 *     takes them away.
 * M2. Whatever is changed of a memory is a change that the search index hears of, in the same
 *     transaction (uses.ts).
 */
import type { MemoryKey, MemoryScope } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';
import { type ChangedMemory, dropMemoryUses, noteMemoryChange, noteNewMemory } from './uses.ts';

export interface MemoryRow extends ChangedMemory {
  readonly version: number;
  readonly hash: string;
  readonly author: string;
  readonly source: string;
  readonly created_at: Instant;
  readonly supersedes: number | null;
  readonly pinned: 0 | 1;
}

export type NewMemoryRow = Omit<MemoryRow, 'id' | 'version' | 'supersedes' | 'forgotten_at'>;

const columns = `id, owner, scope, key, version, value, is_json, hash, tags, thread, author, source,
  created_at, valid_from, valid_to, supersedes, expires_at, pinned, forgotten_at`;

/**
 * What counts at a moment: not forgotten, not expired, and so just then. A clock that was set back
 * does not hide what was stored before.
 */
function countingAt(first: number, row = 'memories'): string {
  const [now, at] = [`$${first}`, `$${first + 1}`];
  return `${row}.forgotten_at is null
    and (${row}.expires_at is null or ${row}.expires_at > ${now})
    and ${row}.valid_from <= coalesce(${at}, max(${now}, ${row}.created_at))
    and (${row}.valid_to is null or ${row}.valid_to > coalesce(${at}, ${now}))`;
}

/** And no newer one of its key does. The parameters are `now` and `at` of a moment. */
export function newestCountingAt(first: number): string {
  return `${countingAt(first)} and not exists (select 1 from memories newer
    where newer.owner = memories.owner and newer.scope = memories.scope
      and newer.key = memories.key and newer.version > memories.version
      and ${countingAt(first, 'newer')})`;
}

export interface MemoryMoment {
  /** What has expired by now is shown to no reader, whatever the query. */
  readonly now: Instant;
  /** What was so then; null for the present. */
  readonly at: Instant | null;
}

/** The newest version there is, whether it counts or not: most keys have none yet. */
export function newestMemory(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
): Promise<Pick<MemoryRow, 'id' | 'version'> | undefined> {
  return sql.get(
    `select id, version from memories where owner = $1 and scope = $2 and key = $3
     order by version desc limit 1`,
    [owner, scope, key],
  );
}

export interface Insertion {
  /** The version behind which it comes. */
  readonly newest: Pick<MemoryRow, 'id' | 'version'> | undefined;
  /** It is so from now on, and since when was not said. */
  readonly isFromNow: boolean;
  readonly now: Instant;
}

/**
 * The next version, behind the newest. What was so when it begins ends there. Where its end is not
 * said, it ends where the next one begins: what is told late does not replace what is so since.
 */
export async function insertMemory(
  tx: Transaction,
  memory: NewMemoryRow,
  { newest, isFromNow, now }: Insertion,
): Promise<MemoryRow> {
  const { owner, scope, key, valid_from } = memory;
  let { valid_to } = memory;
  if (newest !== undefined && valid_to === null) {
    const beginning = { place: memory, valid_from, isFromNow, now };
    await endBefore(tx, beginning);
    valid_to = await nextBeginning(tx, beginning);
  }
  const row = await tx.get<MemoryRow>(
    `insert into memories (owner, scope, key, version, value, is_json, hash, tags, thread, author,
       source, created_at, valid_from, valid_to, supersedes, expires_at, pinned)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     returning ${columns}`,
    [
      ...[owner, scope, key, (newest?.version ?? 0) + 1, memory.value, memory.is_json],
      ...[memory.hash, memory.tags, memory.thread, memory.author, memory.source],
      ...[memory.created_at, valid_from, valid_to, newest?.id ?? null],
      ...[memory.expires_at, memory.pinned],
    ],
  );
  if (row === undefined) throw new Error('the new memory was not given a version');
  await noteNewMemory(tx, row.id);
  return row;
}

/**
 * A text as it came, also where the same stands there: a caller that saves often sees that it was
 * saved.
 */
export async function insertText(
  tx: Transaction,
  place: MemoryKey,
  { value, source, at }: { readonly value: string; readonly source: string; readonly at: Instant },
): Promise<MemoryRow> {
  const memory: NewMemoryRow = {
    ...{ ...place, value, is_json: 0, hash: '', tags: '[]', thread: null, source },
    ...{ author: place.owner, created_at: at, valid_from: at, valid_to: null },
    ...{ expires_at: null, pinned: 0 },
  };
  return insertMemory(tx, memory, {
    newest: await newestMemory(tx, place),
    isFromNow: true,
    now: at,
  });
}

export interface VersionStart {
  readonly place: MemoryKey;
  readonly valid_from: Instant;
  readonly isFromNow: boolean;
  readonly now: Instant;
}

/** Whether a row has begun by then. A clock that was set back does not put off what has. */
const hasBegun = `valid_from <= case when $5 = 1 then max($4, created_at) else $4 end`;

function beginningParameters({ place, valid_from, isFromNow }: VersionStart) {
  return [place.owner, place.scope, place.key, valid_from, isFromNow ? 1 : 0];
}

async function endBefore(tx: Transaction, beginning: VersionStart): Promise<void> {
  const ended = await tx.all<{ id: number }>(
    `update memories set valid_to = max(valid_from, $4)
     where owner = $1 and scope = $2 and key = $3 and valid_to is null and ${hasBegun}
     returning id`,
    beginningParameters(beginning),
  );
  for (const { id } of ended) await noteMemoryChange(tx, id);
}

/** When the next version begins, where one follows that has not ended; null where none does. */
export async function nextBeginning(sql: Sql, beginning: VersionStart): Promise<Instant | null> {
  const { place, valid_from, now } = beginning;
  const later = `owner = $1 and scope = $2 and key = $3 and not (${hasBegun})
    and forgotten_at is null and (expires_at is null or expires_at > $6)`;
  // That it begins behind $4 is said once more where an index is to be used by it.
  const next = `select valid_from as at from memories
     where ${later} and valid_from > $4 and (valid_to is null or valid_to > valid_from)`;
  const open = `exists (select 1 from memories where ${later} and valid_to is null)`;
  const parameters = [...beginningParameters(beginning), now];
  const first = (condition: string) =>
    sql.get<{ at: Instant }>(`${next} ${condition} order by valid_from limit 1`, parameters);
  const beforeOpen = await first(`and ${open}`);
  if (beforeOpen !== undefined) return beforeOpen.at;
  const beforeEnded = await first('');
  if (beforeEnded === undefined) return null;
  const current = await findMemory(sql, place, { now, at: null });
  return (current?.valid_from ?? valid_from) > valid_from ? beforeEnded.at : null;
}

/** The newest version that counts. */
export function findMemory(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
  { at, now }: MemoryMoment,
): Promise<MemoryRow | undefined> {
  return sql.get(
    `select ${columns} from memories
     where owner = $1 and scope = $2 and key = $3 and ${countingAt(4)}
     order by version desc limit 1`,
    [owner, scope, key, now, at],
  );
}

/** The version that came from this source; undefined when none did. */
export function findMemoryFrom(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
  source: string,
): Promise<MemoryRow | undefined> {
  return sql.get(
    `select ${columns} from memories
     where source = $4 and owner = $1 and scope = $2 and key = $3`,
    [owner, scope, key, source],
  );
}

/** Of these, those that count. */
export async function memoriesById(
  sql: Sql,
  ids: readonly number[],
  { at, now }: MemoryMoment,
): Promise<MemoryRow[]> {
  return sql.all(
    `select ${columns} from memories
     where id in (select value from json_each($1)) and ${newestCountingAt(2)}`,
    [JSON.stringify(ids), now, at],
  );
}

export interface MemoryPage {
  readonly owner: string;
  readonly scope: MemoryScope;
  /** Keys that are this one or lie below it; all where it is empty. */
  readonly prefix: string;
  /** Keys behind this one. */
  readonly after: string;
  readonly limit: number;
}

/** By key: the version that counts of each. */
export function listMemories(
  sql: Sql,
  { owner, scope, prefix, after, limit }: MemoryPage,
  { at, now }: MemoryMoment,
): Promise<MemoryRow[]> {
  return sql.all(
    `select ${columns} from memories
     where owner = $1 and scope = $2 and key > $3
       and ($4 = '' or key = $4 or (key > $4 || '/' and key < $4 || '0'))
       and ${newestCountingAt(6)}
     order by key limit $5`,
    [owner, scope, after, prefix, limit, now, at],
  );
}

/** Every version that is left, the newest first, also of what was forgotten. */
export function memoryVersions(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<MemoryRow[]> {
  return sql.all(
    `select ${columns} from memories
     where owner = $1 and scope = $2 and key = $3 and version < $4
     order by version desc limit $5`,
    [owner, scope, key, before, limit],
  );
}

/** Those that count and are pinned, by key. */
export function pinnedMemories(
  sql: Sql,
  { owner, scope, limit }: Pick<MemoryPage, 'owner' | 'scope' | 'limit'>,
  { at, now }: MemoryMoment,
): Promise<MemoryRow[]> {
  return sql.all(
    `select ${columns} from memories
     where owner = $1 and scope = $2 and pinned = 1 and ${newestCountingAt(4)}
     order by key limit $3`,
    [owner, scope, limit, now, at],
  );
}

/** Whether an owner remembers anything but what came of runs. */
export async function hasMemories(sql: Sql, owner: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 from memories
     where owner = $1 and scope in ('working', 'long-term') and author <> 'system'
       and forgotten_at is null limit 1`,
    [owner],
  );
  return row !== undefined;
}

export async function setMemoryEnd(
  tx: Transaction,
  id: number,
  { pinned, expires_at }: Pick<MemoryRow, 'pinned' | 'expires_at'>,
): Promise<void> {
  await tx.run('update memories set pinned = $2, expires_at = $3 where id = $1', [
    id,
    pinned,
    expires_at,
  ]);
  await noteMemoryChange(tx, id);
}

/** All versions of the key, and of what lies below it where that is wanted. Tells how many keys. */
export async function forgetMemories(
  tx: Transaction,
  { owner, scope, key }: MemoryKey,
  { below, at }: { readonly below: boolean; readonly at: Instant },
): Promise<number> {
  const rows = await tx.all<{ id: number; key: string }>(
    `update memories set forgotten_at = $4
     where owner = $1 and scope = $2 and forgotten_at is null
       and (key = $3 or ($5 = 1 and key > $3 || '/' and key < $3 || '0')) returning id, key`,
    [owner, scope, key, at, below ? 1 : 0],
  );
  for (const { id } of rows) await noteMemoryChange(tx, id);
  return new Set(rows.map((row) => row.key)).size;
}

/** The ids of every version, forgotten and expired ones too. */
export async function memoryIds(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
  { below, limit }: { readonly below: boolean; readonly limit: number },
): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select id from memories
     where owner = $1 and scope = $2
       and (key = $3 or ($4 = 1 and ($3 = '' or (key > $3 || '/' and key < $3 || '0'))))
     order by id limit $5`,
    [owner, scope, key, below ? 1 : 0, limit],
  );
  return rows.map(({ id }) => id);
}

/** What came from this source, or from a part of it. */
export async function memoriesMadeBy(sql: Sql, source: string): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select id from memories where source = $1 or (source > $1 || '/' and source < $1 || '0')`,
    [source],
  );
  return rows.map(({ id }) => id);
}

/** They are shown to no reader any more: they are about to go. */
export async function hideMemories(
  tx: Transaction,
  ids: readonly number[],
  at: Instant,
): Promise<void> {
  const rows = await tx.all<{ id: number }>(
    `update memories set forgotten_at = $2
     where id in (select value from json_each($1)) and forgotten_at is null returning id`,
    [JSON.stringify(ids), at],
  );
  for (const { id } of rows) await noteMemoryChange(tx, id);
}

/** Of these, those that are there and were not forgotten. */
export async function rememberedIds(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  const rows = await sql.all<{ id: number }>(
    `select id from memories
     where id in (select value from json_each($1)) and forgotten_at is null`,
    [JSON.stringify(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Takes them away. What has seen them has to be dealt with before. */
export async function deleteMemories(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.run('delete from memories where id in (select value from json_each($1))', [
    JSON.stringify(ids),
  ]);
  await dropMemoryUses(tx, ids);
  for (const id of ids) await noteMemoryChange(tx, id);
}

/**
 * Those that have expired, and say nothing any more: how many. That they were there is kept, so that
 * a purge finds who has seen them.
 */
export async function emptyExpired(tx: Transaction, now: Instant, limit: number): Promise<number> {
  const rows = await tx.all<{ id: number }>(
    `update memories set value = '', is_json = 0, hash = '', tags = '[]', thread = null
     where id in (select id from memories where expires_at <= $1 and (value <> '' or hash <> '')
       order by expires_at limit $2) returning id`,
    [now, limit],
  );
  for (const { id } of rows) await noteMemoryChange(tx, id);
  return rows.length;
}

/** Those that have expired before that, the oldest first. */
export async function expiredMemories(sql: Sql, before: Instant, limit: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    'select id from memories where expires_at <= $1 order by expires_at limit $2',
    [before, limit],
  );
  return rows.map(({ id }) => id);
}

/** Every version that was neither forgotten nor has expired, in the order in which they were made. */
export function exportMemories(
  sql: Sql,
  {
    owner,
    scope,
    now,
    after,
    limit,
  }: {
    readonly owner: string;
    readonly scope?: MemoryScope | undefined;
    readonly now: Instant;
    readonly after: number;
    readonly limit: number;
  },
): Promise<MemoryRow[]> {
  return sql.all(
    `select ${columns} from memories
     where owner = $1 and ($2 is null or scope = $2) and id > $3 and forgotten_at is null
       and (expires_at is null or expires_at > $5)
     order by id limit $4`,
    [owner, scope ?? null, after, limit, now],
  );
}

/** False where a version of that key says the same of the same time already. */
export async function importMemory(
  tx: Transaction,
  memory: NewMemoryRow,
  now: Instant,
): Promise<boolean> {
  const { owner, scope, key, hash, valid_from, value, is_json } = memory;
  const known = await tx.get(
    `select 1 from memories
     where owner = $1 and scope = $2 and key = $3 and valid_from = $4 and forgotten_at is null
       and (hash = $5 or (hash = '' and value = $6 and is_json = $7))`,
    [owner, scope, key, valid_from, hash, value, is_json],
  );
  if (known !== undefined) return false;
  await insertMemory(tx, memory, {
    ...{ newest: await newestMemory(tx, memory), isFromNow: false, now },
  });
  return true;
}
