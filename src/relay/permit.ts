/** Whether a sender may do what a message asks for, and what is said where it may not. */
import type { Deed } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import { authorize, deniedError, recordDenial } from '../security/authorize.ts';
import type { HeldGrant } from '../security/grants/held-grant.ts';
import type { Party } from './envelope.ts';
import { type Posting, principalOf } from './posting.ts';

/** The grant that allows it, to be used when it is done; undefined where none is needed. */
export async function permit(
  { core, tx }: Posting,
  sender: Party,
  deed: Deed,
): Promise<HeldGrant | undefined> {
  const wish = { principal: principalOf(sender), deed };
  const decision = await authorize(core.grants, tx, wish);
  if (decision.kind === 'allowed' && decision.grant?.asks !== true) return decision.grant;
  const denial = decision.kind === 'denied' ? decision : unanswered;
  await recordDenial(tx, wish, denial);
  const { message, fix, details } = deniedError(wish, denial);
  throw new AosError('message.denied', { message, fix, details });
}

/** To be called last before anything is written. */
export async function useAll(
  { core, tx }: Posting,
  sender: Party,
  permits: readonly (HeldGrant | undefined)[],
): Promise<void> {
  for (const grant of permits) {
    if (await core.grants.use(tx, grant)) continue;
    throw new AosError('message.denied', {
      message: `${sender} has used a grant as often as it may`,
      fix: 'Wait, or ask the owner for another grant',
    });
  }
}

// Nobody can be asked about a message that is half accepted.
const unanswered = { kind: 'denied', nearest: undefined } as const;
