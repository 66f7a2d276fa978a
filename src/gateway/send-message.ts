/** One message from a request to the relay, as fast as its sender may send. */
import { early } from '../kernel/early.ts';
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message.ts';
import { checkMessage } from '../kernel/message-check.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Acceptance, Party } from '../relay/envelope.ts';
import type { RateLimit, Relay } from '../relay/relay.ts';
import type { Caller } from './authenticate.ts';
import type { Attachments } from './deps.ts';
import { tooMany } from './throttle.ts';

interface SendDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate'>;
  readonly clock: Clock;
  readonly attachments: Pick<Attachments, 'mayRead'>;
}

/** A caller over HTTP would not wait much longer. */
const longestSlowingMs = 30_000;

export type Accepted = Exclude<Acceptance, { kind: 'refused' }>;

/** Throws what the relay says against it. */
export async function sendMessage(
  deps: SendDeps,
  { caller, sender }: { readonly caller: Caller; readonly sender: Party },
  message: Message,
  signal: AbortSignal,
): Promise<Accepted> {
  checkMessage(message);
  await checkAttachments(deps, caller, message);
  await passInTime(deps, sender, signal);
  const [acceptance] = await deps.relay.accept([{ sender, message }]);
  if (acceptance === undefined) throw new Error('the relay has not said what became of a message');
  if (acceptance.kind === 'refused') throw acceptance.error;
  return acceptance;
}

/**
 * An agent may send what it has put, or may read. That it knows a hash does not make bytes
 * its own: else it could mail itself what others have sent.
 */
export async function checkAttachments(
  { attachments }: Pick<SendDeps, 'attachments'>,
  caller: Caller,
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

async function passInTime(
  { relay: { rate }, clock }: SendDeps,
  sender: Party,
  signal: AbortSignal,
): Promise<void> {
  if (rate.take(sender, 1) === 1) return;
  const passed = new AbortController();
  const late = new AbortController();
  const watch = clock.sleep(longestSlowingMs, AbortSignal.any([passed.signal, signal])).then(
    () => late.abort(slowedTooLong(rate, sender)),
    // It passed, or nobody waits any more.
    () => {},
  );
  try {
    await rate.pass(sender, 1, AbortSignal.any([late.signal, signal]));
  } catch (failure) {
    throw late.signal.aborted ? late.signal.reason : failure;
  } finally {
    passed.abort(early);
    await watch;
  }
}

function slowedTooLong(rate: RateLimit, sender: Party): AosError {
  return tooMany(Math.max(1, rate.waitMs(sender)));
}
