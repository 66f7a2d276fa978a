import * as z from 'zod';
import { partyOf } from '../../relay/envelope.ts';
import type { MailboxItem } from '../../relay/relay.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import type { MessageToolDeps } from './deps.ts';
import { bytesOf, cutToFit, type Mail, mailOf, roomIn } from './mail.ts';

const schema = z.strictObject({
  limit: z.int().min(1).max(100).default(20),
  take: z.boolean().default(true).describe('Whether they are read with that'),
});

/** `message.inbox` */
export function messageInbox(deps: MessageToolDeps): Tool {
  return defineTool({
    name: 'message.inbox',
    summary: 'Read the messages that have come and were not read yet; each is handed out once',
    schema,
    effect: ({ take }) => (take ? 'write' : 'read'),
    // One's own mailbox is nobody else's.
    deeds: () => [],
    run: (args, call) => readInbox(deps, args, call),
  });
}

async function readInbox(
  { relay: { mailboxes } }: MessageToolDeps,
  { limit, take }: z.infer<typeof schema>,
  call: ToolCall,
): Promise<unknown> {
  const recipient = partyOf(call.principal);
  const roomBytes = roomIn(call.outputBytes);
  // What is read and has no room in the result would be lost.
  const roomFor = (found: readonly MailboxItem[]) => howManyFit(found.map(mailOf), roomBytes);
  const found = take
    ? await mailboxes.take(recipient, { limit, roomFor })
    : await mailboxes.list(recipient, { limit });
  const items = found.slice(0, roomFor(found)).map((item) => cutToFit(mailOf(item), roomBytes));
  return { items };
}

/** The first one does in any case: it is cut where it has to be. */
function howManyFit(mails: readonly Mail[], roomBytes: number): number {
  let bytes = 0;
  const beyond = mails.findIndex((mail, index) => {
    bytes += bytesOf(mail);
    return index > 0 && bytes > roomBytes;
  });
  return beyond === -1 ? mails.length : beyond;
}
