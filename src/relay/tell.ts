/** Messages that the relay itself sends: that something went wrong, and what was asked for. */
import type { MessageKind } from '../kernel/message/message.ts';
import { priorities } from '../kernel/message/message.ts';
import { type Party, relayParty } from './envelope.ts';
import type { Letter, Posting } from './posting.ts';

export interface Note {
  readonly to: Party;
  readonly kind: MessageKind;
  /** The message that it is about. */
  readonly re: string;
  readonly thread?: string | null | undefined;
  readonly body: string;
}

/**
 * Sends it as `__orchestrator__`. It goes into any mailbox, however full: whoever sends
 * has a right to hear what became of it. What is sent by the relay itself is told nobody.
 */
export async function tell(posting: Posting, note: Note): Promise<string | undefined> {
  if (note.to === relayParty) return undefined;
  const letter: Letter = {
    id: posting.newId(),
    sender: relayParty,
    message: {
      to: note.to,
      kind: note.kind,
      priority: priorities.usual,
      thread: note.thread ?? undefined,
      re: note.re,
      attachments: [],
      headers: [],
      body: note.body,
    },
    sizeBytes: Buffer.byteLength(note.body),
    status: 'completed',
  };
  const row = await posting.insert(letter);
  if (row === undefined) throw new Error('the id of a new message was taken');
  await posting.place(row, letter, [{ name: note.to, subscription: 0 }]);
  return letter.id;
}

/** What a nack says: one sentence a line. */
export function nackBody(message: string, fix?: string): string {
  return fix === undefined ? `${message}\n` : `${message}\n${fix}\n`;
}

/** What refuses something may end in a question already: `Did you mean "request"?` */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
