/** What cannot be accepted: the refusal, and what is kept of it (accept.ts, A3). */
import type { AosError } from '../kernel/errors.ts';
import { type Message, priorities } from '../kernel/message/message.ts';
import type { KnownFile } from '../ledger/messages/messages.ts';
import type { Acceptance, ArchivePlace, FileSource, Incoming } from './envelope.ts';
import { type Letter, type Posting, principalIdOf } from './posting.ts';
import { nackBody, tell } from './tell.ts';

export function isRefusal({ code }: AosError): boolean {
  return /^(?:message|agent|channel|lead)\./.test(code);
}

/** A caller is answered; the writer of a file is sent a nack. */
export async function refuse(
  posting: Posting,
  incoming: Incoming,
  { error, sourceName }: { readonly error: AosError; readonly sourceName: string | undefined },
): Promise<Acceptance> {
  const { sender, source } = incoming;
  if (source === undefined) {
    await recordRefusedRequest(posting, incoming, error);
    return { kind: 'refused', error };
  }
  // A stream waits for its reader; a caller is told to, and a file just stays.
  if (error.code === 'message.stream-full') return { kind: 'refused', error, later: true };
  const message = 'message' in incoming ? incoming.message : unreadable;
  const letter: Letter = {
    id: posting.newId(),
    sender,
    message: { ...message, dedupKey: undefined },
    sizeBytes: source.sizeBytes,
    status: 'failed',
    source,
    sourceName,
    error: error.message,
  };
  const row = await posting.insert(letter);
  if (row === undefined) throw new Error('the id or the name of a new message was taken');
  await posting.placeEnded(row, letter, {
    recipient: message.to === '' ? sender : message.to,
    state: 'dead',
    error: error.message,
  });
  await posting.tx.record({
    actor: principalIdOf(sender),
    kind: 'message.refused',
    subject: `message:${letter.id}`,
    data: { file: source.stem, code: error.code },
  });
  posting.ended.push({ state: 'dead', reason: error.code });
  await tell(posting, {
    to: sender,
    kind: 'nack',
    re: letter.id,
    thread: message.thread,
    body: nackBody(`${sentence(error.message)} The file was ${source.stem}.msg.`, error.fix),
  });
  return { kind: 'refused', error, id: letter.id, archive: archiveOf(posting, letter) };
}

/** What was to change who runs here is on record; a denial is already, with what was missing. */
async function recordRefusedRequest(
  { tx }: Posting,
  incoming: Incoming,
  { code }: AosError,
): Promise<void> {
  if (!('message' in incoming) || code === 'message.denied') return;
  const { kind } = incoming.message;
  if (kind !== 'spawn' && kind !== 'release') return;
  const actor = principalIdOf(incoming.sender);
  await tx.record({ actor, kind: 'message.refused', subject: actor, data: { code, kind } });
}

/** What is kept of a file that is no message. */
const unreadable: Message = {
  to: '',
  kind: 'message',
  priority: priorities.usual,
  attachments: [],
  headers: [],
  body: '',
};

// The files that messages came in: which of them were accepted before (accept.ts, A2), and
// under which name each is on record and in the archive.

export function isSameFile(known: KnownFile, source: FileSource): boolean {
  return (
    known.file_size === source.sizeBytes &&
    known.file_mtime_ns === source.modifiedNs &&
    known.file_inode === source.inode
  );
}

/** Its own stem, or, when that was used before, one that was never used and that sorts last. */
export function nextName(posting: Posting, stem: string, known: readonly KnownFile[]): string {
  if (known.length === 0) return stem;
  const stamped = `${stem}~${posting.core.stamps.next(posting.now)}`;
  // A file may itself be called so.
  const isTaken = known.some(({ source_name }) => (source_name ?? '') >= stamped);
  return isTaken ? `${stem}~${posting.newId()}` : stamped;
}

/** Another file, or call, that says what was said before; its own file has its own place. */
export function repeated(
  posting: Posting,
  before: KnownFile,
  stem: string | undefined,
): Acceptance {
  const { message_id: id, agent_name: agent } = before;
  return {
    kind: 'duplicate',
    id,
    archive: stem === undefined ? undefined : { agent, stem, at: posting.now },
  };
}

export function duplicate(before: KnownFile): Acceptance {
  const { message_id: id, agent_name: agent, source_name: stem, discovered_at: at } = before;
  return { kind: 'duplicate', id, archive: stem === null ? undefined : { agent, stem, at } };
}

export function archiveOf(posting: Posting, letter: Letter): ArchivePlace | undefined {
  const { source, sender } = letter;
  if (source === undefined) return undefined;
  return { agent: sender, stem: letter.sourceName ?? source.stem, at: posting.now };
}

/** What refuses something may end in a question already: `Did you mean "request"?` */
function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
