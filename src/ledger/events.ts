/** Reading the chain of events, and the few ways in which it may be changed. */

import { hash } from 'node:crypto';
import type { Instant } from '../kernel/ports.ts';
import type { Sql, SqlParameters, Transaction } from './ledger.ts';

export interface SealedEvent {
  readonly seq: number;
  readonly at: Instant;
  readonly actor: string;
  readonly kind: string;
  readonly subject: string;
  /** JSON as it was written; null when there was none, or when it was erased. */
  readonly data: string | null;
  readonly data_digest: string | null;
  readonly prev_hash: string;
  readonly hash: string;
}

/** Every condition that is given must hold. */
export interface EventFilter {
  /** Only events with a higher number. */
  readonly after?: number | undefined;
  /** Only events with a lower number. */
  readonly before?: number | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly actor?: string | undefined;
  /** `agent.registered`, or `agent.*` for the whole area. */
  readonly kind?: string | undefined;
  readonly subject?: string | undefined;
  /** Only what this principal did, or what was done to it. */
  readonly concerning?: string | undefined;
  /** Only what an outsider may see: its operations, and what it may and is known by. */
  readonly outside?: string | undefined;
}

export interface EventPage {
  readonly limit: number;
  readonly order: 'oldest-first' | 'newest-first';
}

/** Sealed events only: the rest has no place in the order yet. */
export function readEvents(
  sql: Sql,
  filter: EventFilter,
  { limit, order }: EventPage,
): Promise<SealedEvent[]> {
  const { conditions, parameters } = conditionsOf(filter);
  const direction = order === 'oldest-first' ? 'asc' : 'desc';
  return sql.all(
    `select seq, at, actor, kind, subject, data, data_digest, prev_hash, hash
     from events
     where ${['seq is not null', ...conditions].join(' and ')}
     order by seq ${direction}
     limit $${parameters.length + 1}`,
    [...parameters, limit],
  );
}

/** Who has had what an operation made; the newest first. Over an index of these alone. */
export function readAccesses(
  sql: Sql,
  operation: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<SealedEvent[]> {
  return sql.all(
    `select seq, at, actor, kind, subject, data, data_digest, prev_hash, hash from events
     where subject = $1 and kind >= 'artifact.' and kind < 'artifact/' and seq > $2
     order by seq desc limit $3`,
    [`operation:${operation}`, after, limit],
  );
}

function conditionsOf(filter: EventFilter): { conditions: string[]; parameters: SqlParameters } {
  const parameters: (string | number)[] = [];
  const bind = (value: string | number) => `$${parameters.push(value)}`;
  const conditions: string[] = [];
  if (filter.after !== undefined) conditions.push(`seq > ${bind(filter.after)}`);
  if (filter.before !== undefined) conditions.push(`seq < ${bind(filter.before)}`);
  if (filter.since !== undefined) conditions.push(`at >= ${bind(filter.since)}`);
  if (filter.until !== undefined) conditions.push(`at < ${bind(filter.until)}`);
  if (filter.actor !== undefined) conditions.push(`actor = ${bind(filter.actor)}`);
  if (filter.subject !== undefined) conditions.push(`subject = ${bind(filter.subject)}`);
  if (filter.kind?.endsWith('.*')) {
    // The dot's next character: everything that begins with `area.` lies in between.
    const area = filter.kind.slice(0, -2);
    conditions.push(`kind > ${bind(`${area}.`)} and kind < ${bind(`${area}/`)}`);
  } else if (filter.kind !== undefined) {
    conditions.push(`kind = ${bind(filter.kind)}`);
  }
  if (filter.concerning !== undefined) {
    const principal = bind(filter.concerning);
    conditions.push(
      `(actor = ${principal} or subject = ${principal} or ${ofItsMessage(principal)}
        or ${ofItsOperation(principal)})`,
    );
  }
  if (filter.outside !== undefined) conditions.push(ofOutsider(bind(filter.outside)));
  return { conditions, parameters };
}

function ofOutsider(principal: string): string {
  return `((subject = ${principal} and (kind like 'capability.%' or kind like 'identity.%'))
    or (subject like 'operation:%' and (kind like 'operation.%' or kind like 'artifact.%') and exists (
      select 1 from operations o where o.id = substr(subject, 11) and o.owner = ${principal}
        and (o.grant_id is null or exists (
          select 1 from grants g where g.id = o.grant_id and g.revoked_at is null)))))`;
}

/** Whether an event is about an operation that the principal has submitted. */
function ofItsOperation(principal: string): string {
  return `(subject like 'operation:%' and exists (
    select 1 from operations o where o.id = substr(subject, 11) and o.owner = ${principal}))`;
}

/** Whether an event is about a message that the principal, an agent, has sent or gets. */
function ofItsMessage(principal: string): string {
  return `exists (
    select 1 from messages m where m.message_id = substr(subject, 9) and subject like 'message:%'
      and (${principal} = 'agent:' || m.agent_name or exists (
        select 1 from deliveries d where d.message = m.id
          and ${principal} = 'agent:' || d.recipient)))`;
}

/** What happened to a message beyond what its rows tell. */
export function eventsOfMessage(
  sql: Sql,
  messageId: string,
): Promise<Pick<SealedEvent, 'at' | 'kind' | 'data'>[]> {
  return sql.all(
    `select at, kind, data from events
     where subject = $1
       and kind in ('message.retried', 'message.returned', 'message.settled', 'message.held')
     order by seq`,
    [`message:${messageId}`],
  );
}

/** Where the chain ends now; its start when nothing has happened yet. */
export async function chainHead(sql: Sql): Promise<ChainHead> {
  const newest = await sql.get<ChainHead>(
    'select seq, hash from events where seq is not null order by seq desc limit 1',
  );
  return newest ?? (await lastCheckpoint(sql)) ?? chainStart;
}

/** A head that was signed: everything up to it can be proven by it. */
export interface SignedHead {
  readonly seq: number;
  readonly hash: string;
  readonly at: Instant;
  readonly reason: 'head' | 'checkpoint';
  readonly signer: string;
  readonly signature: string;
}

const headColumns = 'seq, hash, at, reason, signer, signature';

/** Where the oldest events were cut off, when they were. */
export function lastCheckpoint(sql: Sql): Promise<SignedHead | undefined> {
  return sql.get(
    `select ${headColumns} from event_heads where reason = 'checkpoint' order by seq desc limit 1`,
  );
}

export function findSignedHead(sql: Sql, seq: number): Promise<SignedHead | undefined> {
  return sql.get(`select ${headColumns} from event_heads where seq = $1`, [seq]);
}

export interface HeadRange {
  readonly after: number;
  readonly through: number;
  readonly limit: number;
}

/** Signed heads of a stretch of the chain, oldest first. */
export function signedHeadsIn(
  sql: Sql,
  { after, through, limit }: HeadRange,
): Promise<SignedHead[]> {
  return sql.all(
    `select ${headColumns} from event_heads where seq > $1 and seq <= $2 order by seq limit $3`,
    [after, through, limit],
  );
}

/** Keeps a signed head; a checkpoint takes the place of a head of the same event. */
export async function insertSignedHead(tx: Transaction, head: SignedHead): Promise<void> {
  await tx.run(
    `insert into event_heads (seq, hash, at, reason, signer, signature)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (seq) do update set at = excluded.at, reason = excluded.reason,
       signer = excluded.signer, signature = excluded.signature`,
    [head.seq, head.hash, head.at, head.reason, head.signer, head.signature],
  );
}

/** Takes the data of one event away. Its digest stays, and with it the chain. */
export function eraseEventData(tx: Transaction, seq: number): Promise<number> {
  return tx.run('update events set data = null where seq = $1 and data is not null', [seq]);
}

/** Removes the oldest events, up to and with this one, and the heads before it. */
export async function deleteEventsThrough(tx: Transaction, seq: number): Promise<number> {
  await tx.run('delete from event_heads where seq < $1', [seq]);
  return tx.run('delete from events where seq <= $1', [seq]);
}

const hourMs = 3_600_000;

/** Of the heads that were signed before then, keeps the last one of each hour. */
export function thinSignedHeads(tx: Transaction, olderThan: Instant): Promise<number> {
  return tx.run(
    `delete from event_heads where reason = 'head' and at < $1 and seq not in
       (select max(seq) from event_heads where reason = 'head' group by at / ${hourMs})`,
    [olderThan],
  );
}

// How events hang together. Each hash covers the hash before it and everything about
// its own event but the data, of which it covers the digest: data can be erased and
// the chain still holds.

/** The place in the chain after which the next event goes. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** What stands before the first event. */
export const chainStart: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/** What the hash of an event covers, besides its place. */
export interface ChainedEvent {
  readonly at: number;
  readonly actor: string;
  readonly kind: string;
  readonly subject: string;
  readonly dataDigest: string | null;
}

export function dataDigest(data: string): string {
  return hash('sha256', data);
}

/** The head after this event. */
export function nextHead(before: ChainHead, event: ChainedEvent): ChainHead {
  const seq = before.seq + 1;
  const { at, actor, kind, subject, dataDigest } = event;
  // A JSON list, because no two different lists have the same text.
  const covered = JSON.stringify([before.hash, seq, at, actor, kind, subject, dataDigest]);
  return { seq, hash: hash('sha256', covered) };
}
