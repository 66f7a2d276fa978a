/** Whether a sender may do what a message asks for, and what is said where it may not. */
import type { Deed } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Transaction } from '../ledger/ledger.ts';
import {
  authorize,
  type Denial,
  deniedError,
  recordDenial,
  type Wish,
  withoutAsking,
} from '../security/authorize.ts';
import { type HeldGrant, mostBytesOf } from '../security/grants/held-grant.ts';
import type { Party } from './envelope.ts';
import { type Posting, principalOf } from './posting.ts';

/** What is to be done, and the grant for it; none where none is needed. */
export interface Permitted {
  readonly deed: Deed;
  readonly grant: HeldGrant | undefined;
}

/** With the grant that allows it, to be used when it is done. */
export async function permit({ core, tx }: Posting, sender: Party, deed: Deed): Promise<Permitted> {
  const wish = { principal: principalOf(sender), deed };
  // Nobody can be asked about a message that is half accepted.
  const decision = withoutAsking(await authorize(core.grants, tx, wish));
  if (decision.kind === 'allowed') return { deed, grant: decision.grant };
  return deny(tx, wish, decision);
}

/** The same for sending it at all; its size too may be limited. */
export async function permitMessage(
  posting: Posting,
  sender: Party,
  { to, body }: Message,
): Promise<Permitted> {
  const sending = { resource: 'message', action: 'send', name: to } as const;
  const permitted = await permit(posting, sender, sending);
  const mostBytes = permitted.grant && mostBytesOf(permitted.grant);
  if (mostBytes === undefined || Buffer.byteLength(body) <= mostBytes) return permitted;
  throw new AosError('message.too-large', {
    message: `${quote(sender)} may send ${quote(to)} messages of at most ${mostBytes} bytes`,
    fix: 'Send less, or ask the owner for another grant',
  });
}

async function deny(tx: Transaction, wish: Wish, denial: Denial): Promise<never> {
  await recordDenial(tx, wish, denial);
  const { message, fix, details } = deniedError(wish, denial);
  throw new AosError('message.denied', { message, fix, details });
}

/** To be called last before anything is written. */
export async function useAll(
  { core, tx }: Posting,
  sender: Party,
  permits: readonly Permitted[],
): Promise<void> {
  const spent = await core.grants.use(
    tx,
    permits.map(({ grant }) => grant),
  );
  const deed = permits.find(({ grant }) => grant === spent)?.deed;
  if (spent === undefined || deed === undefined) return;
  const denial = { kind: 'denied', nearest: { grant: spent.id, why: 'used-up' } } as const;
  await deny(tx, { principal: principalOf(sender), deed }, denial);
}
