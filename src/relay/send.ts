/** One message from a call to the relay, as fast as its sender may send. */

import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import type { Clock } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';
import type { Acceptance, Party } from './envelope.ts';
import type { RateLimit, Relay } from './relay.ts';

export interface SendDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate'>;
  readonly clock: Clock;
}

/** Nobody who calls would wait much longer. */
const longestSlowingMs = 30_000;

export type Accepted = Exclude<Acceptance, { kind: 'refused' }>;

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Whoever calls has asked whether it may be sent, and counted that. */
  readonly isPermitted?: true | undefined;
}

/** For a message that was checked. Throws what the relay says against it. */
export async function send(
  deps: SendDeps,
  sender: Party,
  message: Message,
  { signal, isPermitted }: SendOptions,
): Promise<Accepted> {
  await passInTime(deps, sender, signal);
  const [acceptance] = await deps.relay.accept([{ sender, message, isPermitted }]);
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
    passed.abort(early);
    await watch;
  }
}

function slowedTooLong(rate: RateLimit, sender: Party): AosError {
  const waitMs = Math.max(1, rate.waitMs(sender));
  return new AosError('gateway.too-many', {
    message: `Too many messages; the next one may go in ${waitMs} ms`,
    details: { retry_after_ms: waitMs },
  });
}
