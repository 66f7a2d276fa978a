/**
 * Looks at what a transaction cannot see, because it may await the ledger only: whether
 * attachments are there, a checksum is right, and an agent that comes with the system is made. They are taken in turn (accept.ts, A4).
 */
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import { checkChecksum } from './checksum.ts';
import type { RelayCore } from './deps.ts';
import type { Incoming } from './envelope.ts';

/** The last look, while it is under way. */
export interface Looks {
  latest: Promise<void> | undefined;
}

export function needsLook({ bundled }: RelayCore, incoming: Incoming): boolean {
  if (!('message' in incoming)) return false;
  const { attachments, checksum, to } = incoming.message;
  return attachments.length > 0 || checksum !== undefined || bundled?.has(to) === true;
}

/** A4: whatever comes while somebody looks outside waits for that, and looks in its turn. */
export async function lookInTurn(
  { core, looks }: { readonly core: RelayCore; readonly looks: Looks },
  batch: readonly Incoming[],
): Promise<readonly Incoming[]> {
  const before = looks.latest ?? Promise.resolve();
  const looking = before.then(() => lookOutside(core, batch));
  // Whoever waits behind it does not mind how it went.
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
