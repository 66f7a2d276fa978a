/** Whether a sender may do what a message asks for, and what is said where it may not. */
import type { Deed } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import { quote } from '../kernel/text/quote.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';
import { findGrants, type PermitRequest, useGrants } from '../security/permit.ts';
import type { Party } from './envelope.ts';
import { type Posting, principalOf } from './posting.ts';

/** What is to be done, and the grants for it, to be used when it is done. */
export interface Permitted {
  readonly deeds: readonly Deed[];
  /** For each deed; undefined where none is needed. */
  readonly grants: readonly (HeldGrant | undefined)[];
}

/** Throws `message.denied`. No human can be asked about a message that is half accepted. */
export async function permit(
  { core, tx }: Posting,
  sender: Party,
  request: Pick<PermitRequest, 'deeds' | 'size'>,
): Promise<Permitted> {
  const found = await findGrants(core.grants, tx, { ...as(sender), ...request });
  if (found.kind === 'denied') throw found.error;
  return { deeds: request.deeds, grants: found.grants };
}

/** Permits sending it at all; a grant may limit its size too. */
export async function permitMessage(
  posting: Posting,
  sender: Party,
  { to, body }: Message,
): Promise<Permitted> {
  const deeds = [{ resource: 'message', action: 'send', name: to }] as const;
  const tooLarge = (_: Deed, mostBytes: number) =>
    new AosError('message.too-large', {
      message: `${quote(sender)} may send ${quote(to)} messages of at most ${mostBytes} bytes`,
      fix: 'Send less, or ask the owner for another grant',
    });
  const size = { bytes: Buffer.byteLength(body), tooLarge };
  return permit(posting, sender, { deeds, size });
}

/** Counts the uses of all that was permitted. To be called last before anything is written. */
export async function useAll(
  { core, tx }: Posting,
  sender: Party,
  permits: readonly Permitted[],
): Promise<void> {
  const deeds = permits.flatMap((permitted) => permitted.deeds);
  const grants = permits.flatMap((permitted) => permitted.grants);
  const used = await useGrants(core.grants, tx, { ...as(sender), deeds }, grants);
  if (used.kind === 'denied') throw used.error;
}

function as(sender: Party): Pick<PermitRequest, 'principal' | 'code'> {
  return { principal: principalOf(sender), code: 'message.denied' };
}
