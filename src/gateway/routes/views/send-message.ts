/** One message from a request to the relay. */
import { AosError } from '../../../kernel/errors.ts';
import { checkMessage } from '../../../kernel/message/check.ts';
import type { Message } from '../../../kernel/message/message.ts';
import type { Party } from '../../../relay/envelope.ts';
import { type Accepted, type SendDeps as RelaySendDeps, send } from '../../../relay/send.ts';
import type { HomeCaller } from '../../server/authenticate.ts';
import type { Attachments } from '../../server/deps.ts';

interface SendDeps extends RelaySendDeps {
  readonly attachments: Pick<Attachments, 'mayRead'>;
}

/** Throws what the relay says against it. */
export async function sendMessage(
  deps: SendDeps,
  { caller, sender }: { readonly caller: HomeCaller; readonly sender: Party },
  message: Message,
  signal: AbortSignal,
): Promise<Accepted> {
  checkMessage(message);
  await checkAttachments(deps, caller, message);
  return send(deps, sender, message, { signal });
}

/**
 * An agent may send what it has put, or may read. That it knows a hash does not make bytes
 * its own: else it could mail itself what others have sent.
 */
export async function checkAttachments(
  { attachments }: Pick<SendDeps, 'attachments'>,
  caller: HomeCaller,
  message: Message,
): Promise<void> {
  if (caller.kind === 'owner') return;
  for (const hash of message.attachments) {
    if (!(await attachments.mayRead(caller.id, hash))) throw noAttachment(hash);
  }
}

/** The same to whoever may not know of it. */
export function noAttachment(hash: string): AosError {
  return new AosError('message.no-attachment', {
    message: `There is no attachment ${hash} of yours`,
    fix: 'Put it first: POST /api/v1/attachments',
  });
}
