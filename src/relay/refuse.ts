/** What cannot be accepted: the refusal, and what is kept of it (accept.ts, A3). */
import type { AosError } from '../kernel/errors.ts';
import { type Message, priorities } from '../kernel/message/message.ts';
import type { Acceptance, Incoming } from './envelope.ts';
import { type Letter, type Posting, principalOf } from './posting.ts';
import { archiveOf } from './source-files.ts';
import { nackBody, sentence, tell } from './tell.ts';

export function isRefusal({ code }: AosError): boolean {
  return /^(?:message|agent|channel|lead)\./.test(code);
}

/** Whoever called is answered; whoever wrote a file is sent a nack. */
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
  // A stream waits for its reader; whoever calls is told to, and a file just stays.
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
    actor: principalOf(sender),
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
  const actor = principalOf(incoming.sender);
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
