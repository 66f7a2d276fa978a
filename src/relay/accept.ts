/**
 * Where every message comes in, whichever way it came.
 *
 * A1. All that a message changes (its row, its deliveries, the event, what its sender is
 *     told) is one transaction. No caller is answered, and nothing delivered, before that is
 *     on disk.
 * A2. A file that was accepted and not archived yet comes again after a crash. The same
 *     name, size, time and inode is the same message; anything else is a new one
 *     (refuse.ts).
 * A3. What cannot be accepted is refused with its reason. The caller hears it as the
 *     answer; the writer of a file finds a nack in the inbox, and the file is on record
 *     (refuse.ts).
 * A4. Messages are accepted in the order in which they were handed in, also when one of
 *     them needs a look at something outside the ledger first.
 */

import { hash } from 'node:crypto';
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import { quote } from '../kernel/text/quote.ts';
import { filesCalled, findByDedupKey } from '../ledger/messages/messages.ts';
import { linksOf } from '../security/permit.ts';
import { settleAnswered } from './delivery/settle.ts';
import type { RelayCore } from './deps.ts';
import {
  type Acceptance,
  type Incoming,
  type IncomingMessage,
  type PrincipalName,
  type Recipient,
  relayName,
} from './envelope.ts';
import {
  checkStream,
  findRoom,
  followStream,
  permitMessage,
  tellOfFull,
  useAll,
} from './limits.ts';
import { leadName, type MessageRoute, route } from './mail.ts';
import { askOrchestrator, checkRequest } from './orchestrator.ts';
import {
  type Handover,
  type Letter,
  noteSignOfLife,
  type Posted,
  Posting,
  principalIdOf,
} from './posting.ts';
import {
  archiveOf,
  duplicate,
  isRefusal,
  isSameFile,
  nextName,
  refuse,
  repeated,
} from './refuse.ts';

export interface AcceptDeps {
  readonly core: RelayCore;
  readonly handover: Handover;
  readonly looks: Looks;
  /** Called after the commit, and before a caller is answered. */
  posted(posted: Posted): void;
}

// The ledger runs a closure to its end, so one must not hold it up for long; and each costs
// a flush where many come at once.
const mostPerTransaction = 128;

/** Answers once everything is on disk, in the order of the batch. */
export async function accept(
  deps: AcceptDeps,
  batch: readonly Incoming[],
): Promise<readonly Acceptance[]> {
  // A4
  const isBehind = deps.looks.latest !== undefined;
  const hasLooks = batch.some((incoming) => needsLook(deps.core, incoming));
  const checked = isBehind || hasLooks ? await lookInTurn(deps, batch) : batch;
  const parts: Promise<readonly Acceptance[]>[] = [];
  const heldBack = new Set<PrincipalName>();
  for (let start = 0; start < checked.length; start += mostPerTransaction) {
    parts.push(acceptPart(deps, checked.slice(start, start + mostPerTransaction), heldBack));
  }
  const accepted = await Promise.all(parts);
  const [only, ...more] = accepted;
  return only !== undefined && more.length === 0 ? only : accepted.flat();
}

async function acceptPart(
  deps: AcceptDeps,
  batch: readonly Incoming[],
  heldBack: Set<PrincipalName>,
): Promise<readonly Acceptance[]> {
  deps.core.notes.flush();
  const { acceptances, posted } = await deps.core.ledger.transact(async (tx) => {
    const posting = new Posting(deps.core, tx, deps.handover);
    const acceptances: Acceptance[] = [];
    // First, because one of the messages may say that its sender goes.
    for (const sender of new Set(batch.map(({ sender }) => sender))) {
      await noteSignOfLife(tx, sender, posting.now);
    }
    for (const incoming of batch) {
      acceptances.push(await acceptInTurn(posting, incoming, heldBack));
    }
    return { acceptances, posted: await posting.finish() };
  });
  deps.posted(posted);
  count(deps.core, batch, acceptances);
  return acceptances;
}

/**
 * A file that has to stay keeps those of the same sender behind it: none of them may pass.
 * Run again, it finds the same senders held back, which only costs them a wait.
 */
async function acceptInTurn(
  posting: Posting,
  incoming: Incoming,
  heldBack: Set<PrincipalName>,
): Promise<Acceptance> {
  const { sender, source } = incoming;
  if (source !== undefined && heldBack.has(sender)) {
    const message = `A file of ${quote(sender)} before this one has to wait`;
    const error = new AosError('message.stream-full', { message });
    return { kind: 'refused', error, later: true };
  }
  const acceptance = await acceptOne(posting, incoming);
  if (acceptance.kind === 'refused' && acceptance.later === true) heldBack.add(sender);
  return acceptance;
}

function count(
  { metrics }: RelayCore,
  batch: readonly Incoming[],
  acceptances: readonly Acceptance[],
): void {
  for (const [place, incoming] of batch.entries()) {
    const kind = 'message' in incoming ? incoming.message.kind : 'none';
    const acceptance = acceptances[place];
    // What has to wait comes again, and is counted then.
    if (acceptance?.kind === 'refused' && acceptance.later !== true) metrics.refused(kind);
    else if (acceptance?.kind === 'accepted' && kind !== 'none') metrics.accepted(kind, 1);
  }
}

async function acceptOne(posting: Posting, incoming: Incoming): Promise<Acceptance> {
  const { sender, source } = incoming;
  const known = source === undefined ? [] : await filesCalled(posting.tx, sender, source.stem);
  // A2
  const same = known.find((row) => source !== undefined && isSameFile(row, source));
  if (same !== undefined) return duplicate(same);
  const sourceName = source === undefined ? undefined : nextName(posting, source.stem, known);
  try {
    await refuseTerminated(posting, incoming);
    if ('fault' in incoming && incoming.fault !== undefined) throw incoming.fault;
    // Whatever has no fault has a message.
    return await acceptMessage(posting, incoming as IncomingMessage, sourceName);
  } catch (failure) {
    // A3. A bug, or a ledger that cannot go on, is no refusal.
    if (!(failure instanceof AosError) || !isRefusal(failure)) throw failure;
    return refuse(posting, incoming, { error: failure, sourceName });
  }
}

// Everything that can refuse comes before everything that writes.
async function acceptMessage(
  posting: Posting,
  { sender, message, source, isPermitted }: IncomingMessage,
  sourceName: string | undefined,
): Promise<Acceptance> {
  if (message.dedupKey !== undefined) {
    const before = await findByDedupKey(posting.tx, sender, message.dedupKey);
    if (before !== undefined) return repeated(posting, before, sourceName);
  }
  const permits = isPermitted === true ? [] : [await permitMessage(posting, sender, message)];
  const way = await wayOf(posting, sender, message);
  const letter: Letter = {
    id: posting.newId(),
    sender,
    message,
    sizeBytes: source?.sizeBytes ?? Buffer.byteLength(message.body),
    status: source === undefined ? 'completed' : 'processing',
    source,
    sourceName,
  };
  const asked = way.kind === 'orchestrator' ? await checkRequest(posting, letter) : undefined;
  if (asked !== undefined) permits.push(asked);
  if (message.kind === 'stream') checkStream(letter, way.kind === 'to' ? way.recipients : []);
  const wanted = way.kind === 'to' ? way.recipients : [];
  const { recipients, full } = await findRoom(posting, letter, wanted);
  if (message.kind === 'stream') await followStream(posting, letter, recipients);
  await answer(posting, letter, way.kind === 'orchestrator' ? [relayName] : names(recipients));
  await useAll(posting, sender, permits);
  const row = await posting.insert(letter);
  if (row === undefined) throw new Error('the id or the name of a new message was taken');
  if (full.length > 0) await tellOfFull(posting, letter, { full, wanted: wanted.length });
  const grants = linksOf(permits.flatMap((permitted) => permitted.grants));
  await place(posting, { row, letter, way, recipients, grants });
  return {
    kind: 'accepted',
    id: letter.id,
    recipients: recipients.length,
    archive: archiveOf(posting, letter),
  };
}

// Many of one batch go to the same name. What is no plain message may change who is there.
async function wayOf(
  posting: Posting,
  sender: PrincipalName,
  message: Message,
): Promise<MessageRoute> {
  if (message.kind !== 'message') posting.ways.clear();
  const known = message.kind === 'message' ? posting.ways.get(message.to) : undefined;
  if (known !== undefined) return known;
  const way = await route(posting.tx, sender, message);
  if (message.kind === 'message' && !isGroup(message.to)) posting.ways.set(message.to, way);
  return way;
}

/** Who is meant depends on more than the name: on who sends, and what. */
function isGroup(to: string): boolean {
  return to === '*' || to.startsWith('#');
}

/** Nothing could be answered to it. */
async function refuseTerminated(posting: Posting, { sender, source }: Incoming): Promise<void> {
  if ((await posting.presenceOf(sender)) !== 'terminated') return;
  // A file that is refused is on record anyway.
  if (source === undefined) {
    const actor = principalIdOf(sender);
    const data = { code: 'message.denied', why: 'terminated' };
    await posting.tx.record({ actor, kind: 'message.refused', subject: actor, data });
  }
  throw new AosError('message.denied', {
    message: `Agent ${quote(sender)} was terminated, and sends no more messages`,
    fix: `aos register ${sender}, which brings it back`,
  });
}

/** An ack, a nack or a response moves the message on that it answers. */
async function answer(
  posting: Posting,
  { sender, message }: Letter,
  reaches: readonly PrincipalName[],
): Promise<void> {
  const { kind, re, body } = message;
  if (re === undefined || (kind !== 'ack' && kind !== 'nack' && kind !== 'response')) return;
  await settleAnswered(posting, sender, { kind, re, reaches, reason: firstLine(body) });
}

function names(recipients: readonly Recipient[]): readonly PrincipalName[] {
  return recipients.map(({ name }) => name);
}

function firstLine(body: string): string {
  const [line = ''] = body.trim().split('\n', 1);
  return line === '' ? 'it gave no reason' : line.slice(0, 200);
}

interface Placement {
  readonly row: number;
  readonly letter: Letter;
  readonly way: MessageRoute;
  readonly recipients: readonly { readonly name: string; readonly subscription: number }[];
  /** By which it was allowed, with those above them. */
  readonly grants: readonly string[];
}

async function place(posting: Posting, placement: Placement): Promise<void> {
  const { row, letter, way, recipients, grants } = placement;
  const { id, sender, message, sizeBytes } = letter;
  await posting.tx.record({
    actor: principalIdOf(sender),
    kind: way.kind === 'held' ? 'message.held' : 'message.accepted',
    subject: `message:${id}`,
    data: {
      ...{ to: message.to, kind: message.kind, recipients: recipients.length, bytes: sizeBytes },
      ...(grants.length === 0 ? {} : { grants }),
    },
  });
  if (way.kind === 'to') await posting.place(row, letter, recipients);
  else if (way.kind === 'held') {
    await posting.place(row, letter, [{ name: leadName, subscription: 0 }]);
  } else await askOrchestrator(posting, row, letter);
}

// Looks at what a transaction cannot see, because it may await the ledger only: whether
// attachments are there, a checksum is right, and an agent that comes with the system is made.
// They are taken in turn (A4).

/** The last look, while it is under way. */
interface Looks {
  latest: Promise<void> | undefined;
}

function needsLook({ bundled }: RelayCore, incoming: Incoming): boolean {
  if (!('message' in incoming)) return false;
  const { attachments, checksum, to } = incoming.message;
  return attachments.length > 0 || checksum !== undefined || bundled?.has(to) === true;
}

/** A4: whatever comes while another batch looks outside waits for that, and looks in its turn. */
async function lookInTurn(
  { core, looks }: { readonly core: RelayCore; readonly looks: Looks },
  batch: readonly Incoming[],
): Promise<readonly Incoming[]> {
  const before = looks.latest ?? Promise.resolve();
  const looking = before.then(() => lookOutside(core, batch));
  // The batch that waits behind it does not mind how it went.
  const latest = looking.then(
    () => {},
    () => {},
  );
  looks.latest = latest;
  try {
    return await looking;
  } finally {
    if (looks.latest === latest) looks.latest = undefined;
  }
}

async function lookOutside(core: RelayCore, batch: readonly Incoming[]): Promise<Incoming[]> {
  const looked: Incoming[] = [];
  for (const incoming of batch) {
    const fault = 'message' in incoming ? await outsideFault(core, incoming.message) : undefined;
    looked.push(fault === undefined ? incoming : { ...incoming, fault });
  }
  return looked;
}

async function outsideFault(core: RelayCore, message: Message): Promise<AosError | undefined> {
  if (core.bundled?.has(message.to) === true) await core.bundled.make(message.to);
  try {
    checkChecksum(message);
  } catch (fault) {
    if (fault instanceof AosError) return fault;
    throw fault;
  }
  for (const attachment of message.attachments) {
    if (await core.hasAttachment(attachment)) continue;
    return new AosError('message.no-attachment', {
      message: `The attachment sha256:${attachment} is not there`,
      fix: `Write it to attachments/${attachment.slice(0, 2)}/${attachment} first, then send the message`,
    });
  }
  return undefined;
}

/** Throws when a message has a CHECKSUM that is not the one of its body. */
export function checkChecksum({ checksum, body }: Message): void {
  if (checksum === undefined || checksum === hash('sha256', body)) return;
  throw new AosError('message.checksum', {
    message: 'The CHECKSUM is not the SHA-256 of the bytes behind the blank line',
    fix: 'Write the message again; it was changed on the way, or hashed too early',
  });
}
