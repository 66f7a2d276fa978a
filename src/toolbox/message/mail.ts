/** Messages in the result of a tool. */
import type { MailboxItem } from '../../relay/relay.ts';

export type Mail = ReturnType<typeof mailOf>;

export function mailOf(item: MailboxItem) {
  return {
    id: item.id,
    from: item.from,
    to: item.to,
    kind: item.kind,
    priority: item.priority,
    thread: item.thread ?? null,
    re: item.re ?? null,
    event_type: item.eventType ?? null,
    attachments: [...item.attachments],
    sent_at: new Date(item.sentAt).toISOString(),
    body: item.body,
    /** Whether the body goes on, and there was no room for it. */
    body_cut: false,
  };
}

/** What is left for messages: secrets that are taken out leave a longer text, and it is wrapped. */
export function roomIn(outputBytes: number): number {
  return Math.floor((outputBytes * 3) / 4);
}

export function bytesOf(mail: Mail): number {
  return Buffer.byteLength(JSON.stringify(mail));
}

/** As much of it as fits. A message that fits nowhere would never be read otherwise. */
export function cutToFit(mail: Mail, roomBytes: number): Mail {
  let cut = mail;
  for (let bytes = bytesOf(cut); bytes > roomBytes && cut.body !== ''; bytes = bytesOf(cut)) {
    // How much a character takes varies, so it takes a few steps; each makes it shorter.
    const length = Math.floor((cut.body.length * roomBytes * 0.9) / bytes);
    cut = { ...cut, body: cut.body.slice(0, length).toWellFormed(), body_cut: true };
  }
  return cut;
}
