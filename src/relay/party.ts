import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { ownerParty, type Party } from './envelope.ts';

/** Whose mailbox a principal has; the other way round it is principalOf(). */
export function partyOf(principal: string): Party {
  if (principal === 'owner') return ownerParty;
  const [, name] = /^agent:(.+)$/.exec(principal) ?? [];
  if (name !== undefined) return name;
  throw new AosError('message.denied', {
    message: `${quote(principal)} has no mailbox, and can neither send nor get messages`,
    fix: 'Let an agent do it',
  });
}
