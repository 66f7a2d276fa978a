/** One message from a request to the relay, as fast as its sender may send. */
import type { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message.ts';
import { checkMessage } from '../kernel/message-check.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Acceptance, Party } from '../relay/envelope.ts';
import type { RateLimit, Relay } from '../relay/relay.ts';
import { tooMany } from './throttle.ts';

type SendDeps = { readonly relay: Pick<Relay, 'accept' | 'rate'>; readonly clock: Clock };

/** A caller over HTTP would not wait much longer. */
const longestSlowingMs = 30_000;

export type Accepted = Exclude<Acceptance, { kind: 'refused' }>;

/** Throws what the relay says against it. */
export async function sendMessage(
  deps: SendDeps,
  sender: Party,
  message: Message,
  signal: AbortSignal,
): Promise<Accepted> {
  checkMessage(message);
  await passInTime(deps, sender, signal);
  const [acceptance] = await deps.relay.accept([{ sender, message }]);
  if (acceptance === undefined) throw new Error('the relay has not said what became of a message');
  if (acceptance.kind === 'refused') throw acceptance.error;
  return acceptance;
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
    passed.abort();
    await watch;
  }
}

function slowedTooLong(rate: RateLimit, sender: Party): AosError {
  return tooMany(Math.max(1, rate.waitMs(sender)));
}
