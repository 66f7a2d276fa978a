/** What limits a sender: its rate, the room of its recipients, and its grants. */
import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import type { Clock } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { advanceStream, findStream } from '../ledger/messages/subscriptions.ts';
import type { HeldGrant } from '../security/grants/shelf.ts';
import { findGrants, type PermitRequest, useGrants } from '../security/permit.ts';
import type { RelayLimits } from './deps.ts';
import type { PrincipalName, Recipient } from './envelope.ts';
import { leadName } from './mail.ts';
import { type Letter, type Posting, principalIdOf } from './posting.ts';
import type { RateLimit } from './relay.ts';
import { nackBody, tell } from './tell.ts';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

const mostBuckets = 10_000;

/** A bucket of tokens for each sender, filled at a steady pace. */
export function rateLimit(
  clock: Clock,
  { messagesPerSecond, messageBurst }: RelayLimits,
): RateLimit {
  const buckets = new Map<PrincipalName, Bucket>();
  const perMs = messagesPerSecond / 1000;

  const bucketOf = (sender: PrincipalName): Bucket => {
    const nowMs = clock.monotonicMs();
    const bucket = buckets.get(sender);
    if (bucket === undefined) {
      if (buckets.size >= mostBuckets) dropFull(buckets, { perMs, messageBurst, nowMs });
      const fresh = { tokens: messageBurst, filledAtMs: nowMs };
      buckets.set(sender, fresh);
      return fresh;
    }
    bucket.tokens = Math.min(messageBurst, bucket.tokens + (nowMs - bucket.filledAtMs) * perMs);
    bucket.filledAtMs = nowMs;
    return bucket;
  };

  const take = (sender: PrincipalName, wanted: number): number => {
    const bucket = bucketOf(sender);
    const taken = Math.min(wanted, Math.floor(bucket.tokens));
    bucket.tokens -= taken;
    return taken;
  };

  const waitMs = (sender: PrincipalName): number => {
    const { tokens } = bucketOf(sender);
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs);
  };

  return {
    take,
    waitMs,
    async pass(sender, count, signal) {
      let left = count - take(sender, count);
      while (left > 0) {
        await clock.sleep(waitMs(sender), signal);
        left -= take(sender, left);
      }
    },
  };
}

/** A bucket that is full again is as good as none. */
function dropFull(
  buckets: Map<PrincipalName, Bucket>,
  fill: { readonly perMs: number; readonly messageBurst: number; readonly nowMs: number },
): void {
  for (const [sender, { tokens, filledAtMs }] of buckets) {
    const now = tokens + (fill.nowMs - filledAtMs) * fill.perMs;
    if (now >= fill.messageBurst) buckets.delete(sender);
  }
}

// Whether a mailbox or a stream has room for one more.

interface Room {
  /** Those who have it. */
  readonly recipients: readonly Recipient[];
  /** The names of those who go without. */
  readonly full: readonly string[];
}

/** One recipient without room is a refusal; of several, who is full goes without. */
export async function findRoom(
  posting: Posting,
  letter: Letter,
  recipients: readonly Recipient[],
): Promise<Room> {
  const full: string[] = [];
  for (const { name } of recipients) {
    if (await isFull(posting, name, letter.sizeBytes)) full.push(name);
  }
  const [first] = full;
  if (first === undefined) return { recipients, full };
  if (full.length === recipients.length) throw mailboxFull(first);
  return { recipients: recipients.filter(({ name }) => !full.includes(name)), full };
}

/** Once, however many they are. */
export async function tellOfFull(
  posting: Posting,
  letter: Letter,
  { full, wanted }: { readonly full: readonly string[]; readonly wanted: number },
): Promise<void> {
  await tell(posting, {
    to: letter.sender,
    kind: 'nack',
    re: letter.id,
    thread: letter.message.thread,
    body: nackBody(
      `Of ${wanted} recipients these did not get your message, because their mailboxes are full: ${shortList(full)}.`,
    ),
  });
}

async function isFull(posting: Posting, name: string, bytes: number): Promise<boolean> {
  const { mailboxMessages, mailboxBytes } = posting.core.limits;
  const size = await posting.sizeOf(name);
  return size.pending >= mailboxMessages || size.pending_bytes + bytes > mailboxBytes;
}

function mailboxFull(name: string): AosError {
  return new AosError('message.mailbox-full', {
    message: `The mailbox of ${quote(name)} is full`,
    fix: 'Wait until it has read some of its messages, then send it again',
  });
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}

export function checkStream({ message }: Letter, recipients: readonly Recipient[]): void {
  const { thread, chunk } = message;
  if (message.to === leadName && recipients.length === 0) {
    throw new AosError('lead.none', {
      message: 'Nobody is Lead, and a stream cannot wait for one',
      fix: 'aos lead set NAME',
    });
  }
  if (recipients.length === 1 && thread !== undefined && chunk !== undefined) return;
  throw new AosError('message.malformed', {
    message: 'A stream goes to one recipient, with THREAD and CHUNK in each message',
    fix: 'Write THREAD: a name of your choice, and CHUNK: 0, 1, 2 …, the last one as "7 end"',
  });
}

/** Chunks come in order, none is left out, and no more are on their way than the window holds. */
export async function followStream(
  posting: Posting,
  { sender, message: { thread = '', chunk = { index: 0, end: true } } }: Letter,
  [recipient]: readonly Recipient[],
): Promise<void> {
  if (recipient === undefined) return;
  const id = { sender, recipient: recipient.name, thread };
  const stream = await findStream(posting.tx, id);
  const window = posting.core.limits.streamWindow;
  if (stream !== undefined && stream.unread >= window) throw streamFull(thread, window);
  const next = { chunk: chunk.index, end: chunk.end, at: posting.now };
  if (await advanceStream(posting.tx, id, next)) return;
  throw streamGap(thread, chunk.index, stream);
}

function streamFull(thread: string, window: number): AosError {
  return new AosError('message.stream-full', {
    message: `${window} chunks of the stream ${quote(thread)} are not read yet`,
    fix: 'Wait until the recipient has read some, then send this chunk again',
  });
}

function streamGap(
  thread: string,
  index: number,
  stream: { readonly next_chunk: number; readonly ended_at: number | null } | undefined,
): AosError {
  const isOver = stream !== undefined && stream.ended_at !== null;
  const wanted = isOver ? 'the stream has ended' : `chunk ${stream?.next_chunk ?? 0} comes next`;
  return new AosError('message.stream-gap', {
    message: `Chunk ${index} of the stream ${quote(thread)} cannot be taken: ${wanted}`,
    fix: isOver ? 'Begin another stream, with another THREAD' : 'Send that chunk first',
    details: { next_chunk: isOver ? null : (stream?.next_chunk ?? 0) },
  });
}

// Whether a sender may do what a message asks for, and what is said where it may not.

/** What is to be done, and the grants for it, to be used when it is done. */
export interface Permitted {
  readonly actions: readonly Action[];
  /** For each action; undefined where none is needed. */
  readonly grants: readonly (HeldGrant | undefined)[];
}

/** Throws `message.denied`. No human can be asked about a message that is half accepted. */
export async function permit(
  { core, tx }: Posting,
  sender: PrincipalName,
  request: Pick<PermitRequest, 'actions' | 'size'>,
): Promise<Permitted> {
  const found = await findGrants(core.grants, tx, { ...as(sender), ...request });
  if (found.kind === 'denied') throw found.error;
  return { actions: request.actions, grants: found.grants };
}

/** Permits sending it at all; a grant may limit its size too. */
export async function permitMessage(
  posting: Posting,
  sender: PrincipalName,
  { to, body }: Message,
): Promise<Permitted> {
  const actions = [{ resource: 'message', action: 'send', name: to }] as const;
  const tooLarge = (_: Action, mostBytes: number) =>
    new AosError('message.too-large', {
      message: `${quote(sender)} may send ${quote(to)} messages of at most ${mostBytes} bytes`,
      fix: 'Send less, or ask the owner for another grant',
    });
  const size = { bytes: Buffer.byteLength(body), tooLarge };
  return permit(posting, sender, { actions, size });
}

/** Counts the uses of all that was permitted. To be called last before anything is written. */
export async function useAll(
  { core, tx }: Posting,
  sender: PrincipalName,
  permits: readonly Permitted[],
): Promise<void> {
  const actions = permits.flatMap((permitted) => permitted.actions);
  const grants = permits.flatMap((permitted) => permitted.grants);
  const used = await useGrants(core.grants, tx, { ...as(sender), actions }, grants);
  if (used.kind === 'denied') throw used.error;
}

function as(sender: PrincipalName): Pick<PermitRequest, 'principal' | 'code'> {
  return { principal: principalIdOf(sender), code: 'message.denied' };
}
