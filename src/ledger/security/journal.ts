/** What agents asked tools for, and what came of it: one row a call. */
import { operationOfKey } from '../../kernel/journal/step.ts';
import type { MemoryKey } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';
import { eraseMessage } from '../messages/messages.ts';

/**
 * `waiting` for an approval; `started` and not yet over; `answered` with a result, `failed`
 * with an error, `denied` by a human; `unsure` when the process died in the middle of it.
 */
export type CallState = 'waiting' | 'started' | 'answered' | 'failed' | 'denied' | 'unsure';

export interface CallRow {
  readonly id: number;
  readonly call_id: string;
  readonly principal: string;
  readonly tool: string;
  readonly effect: 'read' | 'write' | 'external';
  readonly repeatable: 0 | 1;
  readonly state: CallState;
  readonly idempotency_key: string;
  /** JSON. */
  readonly arguments: string;
  readonly arguments_digest: string;
  /** JSON: the result, or the error. */
  readonly result: string | null;
  readonly result_bytes: number | null;
  readonly asked_at: Instant;
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
  readonly runs: number;
}

export type NewCall = Omit<CallRow, 'id' | 'result' | 'result_bytes' | 'ended_at' | 'runs'>;

const columns = `id, call_id, principal, tool, effect, repeatable, state, idempotency_key, arguments,
  arguments_digest, result, result_bytes, asked_at, started_at, ended_at, runs`;

/** Without what may be long; the error of one that has failed is not. */
const summaryColumns = columns
  .replace(' arguments,', ` 'null' as arguments,`)
  .replace(' result,', ` case when state = 'answered' then null else result end as result,`);

export async function insertCall(tx: Transaction, call: NewCall): Promise<void> {
  await tx.run(
    `insert into journal (call_id, principal, tool, effect, repeatable, state, idempotency_key,
       arguments, arguments_digest, asked_at, started_at, runs)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      call.call_id,
      call.principal,
      call.tool,
      call.effect,
      call.repeatable,
      call.state,
      call.idempotency_key,
      closed(tx, call.idempotency_key, call.arguments),
      call.arguments_digest,
      call.asked_at,
      call.started_at,
      call.started_at === null ? 0 : 1,
    ],
  );
}

/** Sealed where it is called for an operation with a key of its own. */
function closed({ bodies }: Sql, key: string, text: string): string {
  const operation = bodies && operationOfKey(key);
  return operation === undefined ? text : (bodies?.close(operation, text) ?? text);
}

function opened<Row extends Pick<CallRow, 'arguments' | 'result'> | undefined>(
  { bodies }: Sql,
  row: Row,
): Row {
  if (bodies === undefined || row === undefined) return row;
  const { arguments: given, result } = row;
  const plain = { arguments: bodies.open(given), result: result && bodies.open(result) };
  return { ...row, ...plain };
}

export async function findCall(sql: Sql, callId: string): Promise<CallRow | undefined> {
  return opened(
    sql,
    await sql.get<CallRow>(`select ${columns} from journal where call_id = $1`, [callId]),
  );
}

export async function findCallByKey(
  sql: Sql,
  principal: string,
  key: string,
): Promise<CallRow | undefined> {
  const row = await sql.get<CallRow>(
    `select ${columns} from journal where principal = $1 and idempotency_key = $2`,
    [principal, key],
  );
  return opened(sql, row);
}

/** The ids that begin so. */
export async function callIdsFrom(sql: Sql, start: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ call_id: string }>(
    'select call_id from journal where call_id >= $1 and call_id < $2 order by call_id limit $3',
    [start, `${start}g`, limit],
  );
  return rows.map(({ call_id }) => call_id);
}

/** Those that a process which died left in the middle. */
export async function startedCalls(sql: Sql, limit: number): Promise<CallRow[]> {
  const rows = await sql.all<CallRow>(
    `select ${columns} from journal where state = 'started' order by id limit $1`,
    [limit],
  );
  return rows.map((row) => opened(sql, row));
}

export interface CallPage {
  readonly principal?: string | undefined;
  readonly state?: CallState | undefined;
  /** Only those asked before the one of this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The newest first, without their arguments and results. */
export async function listCalls(
  sql: Sql,
  { principal, state, before, limit }: CallPage,
): Promise<CallRow[]> {
  const parameters: (string | number)[] = [limit];
  const conditions = ['true'];
  const bind = (value: string | number) => `$${parameters.push(value)}`;
  if (principal !== undefined) conditions.push(`principal = ${bind(principal)}`);
  if (state !== undefined) conditions.push(`state = ${bind(state)}`);
  if (before !== undefined) {
    conditions.push(`id < (select b.id from journal b where b.call_id = ${bind(before)})`);
  }
  const rows = await sql.all<CallRow>(
    `select ${summaryColumns} from journal where ${conditions.join(' and ')} order by id desc limit $1`,
    parameters,
  );
  return rows.map((row) => opened(sql, row));
}

/** False when it is not, or no longer, in the state that it is to leave. */
export async function startCall(
  tx: Transaction,
  callId: string,
  { from, at }: { readonly from: CallState; readonly at: Instant },
): Promise<boolean> {
  const changed = await tx.run(
    `update journal set state = 'started', started_at = $3, runs = runs + 1
     where call_id = $1 and state = $2`,
    [callId, from, at],
  );
  return changed === 1;
}

const purged = '{"erased":"purged"}';
/** A call that has arguments of its own has a digest of them. */
const isPurged = `arguments = '${purged}' and arguments_digest = ''`;

/** Whether what it was asked and has answered was purged. */
export async function isPurgedCall(sql: Sql, callId: string): Promise<boolean> {
  const row = await sql.get(`select 1 from journal where call_id = $1 and ${isPurged}`, [callId]);
  return row !== undefined;
}

export interface CallEnd {
  readonly from: CallState;
  readonly to: 'answered' | 'failed' | 'denied' | 'unsure';
  readonly result: string;
  readonly at: Instant;
}

/**
 * False when it is not, or no longer, in the state that it is to leave. What was purged while it
 * ran has seen what is to go, so its result is not kept either.
 */
export async function endCall(
  tx: Transaction,
  callId: string,
  { from, to, result, at }: CallEnd,
): Promise<boolean> {
  const key = tx.bodies && (await keyOfCall(tx, callId));
  const written = key === undefined ? result : closed(tx, key, result);
  const changed = await tx.run(
    `update journal set state = $3, result_bytes = $5, ended_at = $6,
       result = case when ${isPurged} then $7 else $4 end
     where call_id = $1 and state = $2`,
    [callId, from, to, written, Buffer.byteLength(result), at, purged],
  );
  return changed === 1;
}

async function keyOfCall(sql: Sql, callId: string): Promise<string | undefined> {
  const row = await sql.get<{ idempotency_key: string }>(
    'select idempotency_key from journal where call_id = $1',
    [callId],
  );
  return row?.idempotency_key;
}

/** The operation for which a call was made; undefined for a call that belongs to no run. */
export async function operationOfCall(sql: Sql, callId: string): Promise<string | undefined> {
  return operationOfKey((await keyOfCall(sql, callId)) ?? '');
}

const erasedAtOnce = 100;

/** What was asked and answered for an operation that is over becomes digests; true when none is left. */
export async function eraseCalls(
  tx: Transaction,
  { id, agent }: { readonly id: string; readonly agent: string },
  digestOf: (text: string) => string,
): Promise<boolean> {
  const prefix = `run:${id}/`;
  const rows = await tx.all<Pick<CallRow, 'call_id' | 'arguments' | 'result'>>(
    `select call_id, arguments, result from journal
     where principal = $1 and idempotency_key >= $2 and idempotency_key < $3
       and arguments not like '{"erased":"%' order by id limit $4`,
    [`agent:${agent}`, prefix, `${prefix}~`, erasedAtOnce],
  );
  for (const row of rows) await eraseRow(tx, row, digestOf);
  return rows.length < erasedAtOnce;
}

/** Erases what one call holds. Nothing where there is none. */
export async function eraseCall(
  tx: Transaction,
  id: string,
  digestOf: (text: string) => string,
): Promise<void> {
  const row = await tx.get<Pick<CallRow, 'call_id' | 'arguments' | 'result'>>(
    'select call_id, arguments, result from journal where call_id = $1',
    [id],
  );
  if (row !== undefined) await eraseRow(tx, row, digestOf);
}

async function eraseRow(
  tx: Transaction,
  { call_id, arguments: given, result }: Pick<CallRow, 'call_id' | 'arguments' | 'result'>,
  digestOf: (text: string) => string,
): Promise<void> {
  const erased = (text: string) => JSON.stringify({ erased: digestOf(text) });
  await tx.run(
    `update journal set arguments = $2, arguments_digest = '', result = $3 where call_id = $1`,
    [call_id, erased(given), result && erased(result)],
  );
  await tx.run('update approvals set shown = $2 where call_id = $1', [call_id, erased(given)]);
  for (const note of await notesOfCall(tx, call_id)) await eraseMessage(tx, note, digestOf(given));
}

export type CallOfRun = Pick<CallRow, 'call_id' | 'idempotency_key'>;

/** Rows of the journal, the last one included. */
export interface CallRange {
  readonly after: number;
  readonly upTo: number;
}

const rowsAtOnce = 5000;
const bytesAtOnce = 2_000_000;

/** Of calls that are over and were to store something: so few that they are read in a moment. */
export async function nextStores(sql: Sql, after: number): Promise<CallRange | undefined> {
  const last = await sql.get<{ id: number | null }>('select max(id) as id from journal');
  if (after >= (last?.id ?? 0)) return undefined;
  // How long each is is known without reading it.
  const row = await sql.get<{ id: number }>(
    `select id from (
       select id, sum(octet_length(arguments)) over (order by id) as bytes from journal
       where tool = 'memory.store' and id > $1 and id <= $2)
     where bytes >= $3 order by id limit 1`,
    [after, after + rowsAtOnce, bytesAtOnce],
  );
  return { after, upTo: row?.id ?? after + rowsAtOnce };
}

/**
 * Calls that are over and were to store something there, whether they did or not: who was refused
 * has sent it along too.
 */
export function callsThatStore(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
  { below, after, upTo }: CallRange & { readonly below: boolean },
): Promise<CallOfRun[]> {
  // What is sealed is no JSON, and goes with its operation.
  return sql.all(
    `with stores as materialized (
       select id, call_id, principal, idempotency_key, arguments from journal
       where id > $5 and id <= $6 and tool = 'memory.store' and ended_at is not null
         and json_valid(arguments)),
     said as (
       select id, call_id, idempotency_key, arguments ->> '$.key' as key,
         coalesce(arguments ->> '$.scope', 'working') as scope,
         case when arguments ->> '$.scope' = 'shared' then 'shared'
           when arguments ->> '$.of' is null then principal
           when arguments ->> '$.of' = 'owner' then 'owner'
           else 'agent:' || (arguments ->> '$.of') end as owner
       from stores)
     select call_id, idempotency_key from said
     where owner = $1 and scope = $2
       and (key = $3 or ($4 = 1 and ($3 = '' or (key > $3 || '/' and key < $3 || '0'))))
       and key is not null
     order by id`,
    [owner, scope, key, below ? 1 : 0, after, upTo],
  );
}

/** The calls by which a message was sent or read: by its sender, its recipients, the owner. */
export function callsWithMessage(sql: Sql, messageId: string): Promise<CallOfRun[]> {
  return sql.all(
    `select call_id, idempotency_key from journal
     where tool in ('message.send', 'message.inbox', 'message.request') and instr(result, $1) > 0
       and principal in (select 'owner'
         union select 'agent:' || agent_name from messages where message_id = $1
         union select 'agent:' || recipient from messages
           join deliveries on deliveries.message = messages.id where message_id = $1)`,
    [messageId],
  );
}

/** Those that were over before then, with the approvals that they had waited for; tells how many. */
export async function deleteCallsBefore(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  const old = `select call_id from journal where ended_at < $1 and state <> 'unsure' order by id limit $2`;
  await tx.run(`delete from approvals where call_id in (${old})`, [before, limit]);
  return tx.run(`delete from journal where call_id in (${old})`, [before, limit]);
}

/** The key of a call that was never made is free for another. */
export async function freeKey(tx: Transaction, callId: string): Promise<void> {
  await tx.run('update journal set idempotency_key = call_id where call_id = $1', [callId]);
}

export async function stateOfCall(sql: Sql, callId: string): Promise<CallState | undefined> {
  const row = await sql.get<{ state: CallState }>('select state from journal where call_id = $1', [
    callId,
  ]);
  return row?.state;
}

/** Of one principal, under keys that begin so: those that wait for a human. */
export function waitingCallsUnder(
  sql: Sql,
  principal: string,
  keyPrefix: string,
): Promise<Pick<CallRow, 'call_id' | 'tool'>[]> {
  return sql.all(
    `select call_id, tool from journal
     where principal = $1 and idempotency_key >= $2 and idempotency_key < $3 and state = 'waiting'
     order by id`,
    [principal, keyPrefix, `${keyPrefix}~`],
  );
}

// What the relay itself has told people of a call, by the key under which each is told once.

/** To the owner: a call waits for an approval. */
export function approvalNoteKey(approval: string): string {
  return `approval-${approval}`;
}

/** To the caller: how it ended. */
export function endNoteKey(callId: string, { runs, end }: { runs: number; end: string }): string {
  return `call-${callId}-${runs}-${end}`;
}

/** The ids of the messages. */
export async function notesOfCall(sql: Sql, callId: string): Promise<string[]> {
  const rows = await sql.all<{ message_id: string }>(
    `select message_id from messages where agent_name = '__orchestrator__'
       and dedup_key > 'call-' || $1 || '-' and dedup_key < 'call-' || $1 || '.'
     union select message_id from approvals a join messages m
       on m.agent_name = '__orchestrator__' and m.dedup_key = 'approval-' || a.id
       where a.call_id = $1`,
    [callId],
  );
  return rows.map(({ message_id }) => message_id);
}
