import type { Engines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireHistory } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

/** In the order in which a delivery goes through them. */
export const waitedStates = ['delivered', 'read', 'acked'] as const;
export type WaitedState = (typeof waitedStates)[number];

interface Waiting {
  readonly id: string;
  readonly state: WaitedState;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const lookAgainMs = 200;

/** Until every delivery of the message is that far; throws when one never will be. */
export async function waitForState(
  { clock }: Engines,
  client: Client,
  { id, state, timeoutMs, signal }: Waiting,
): Promise<WireHistory['deliveries']> {
  const deadline = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const { deliveries } = await client.message(id, { signal });
    const failed = deliveries.find((one) => one.state === 'expired' || one.state === 'dead');
    if (failed !== undefined) throw undelivered(id, failed);
    const behind = deliveries.filter((one) => placeOf(one.state) < placeOf(state));
    if (behind.length === 0 && deliveries.length > 0) return deliveries;
    if (clock.monotonicMs() >= deadline) throw notYet(id, state, behind);
    await clock.sleep(lookAgainMs, signal);
  }
}

function placeOf(state: string): number {
  const inOrder: readonly string[] = waitedStates;
  return inOrder.indexOf(state);
}

type Delivery = WireHistory['deliveries'][number];

function undelivered(id: string, { recipient, state, error }: Delivery): AosError {
  const why = error === null ? '' : `: ${error}`;
  const what = state === 'dead' ? 'could not be delivered' : 'has expired';
  return new AosError('message.undelivered', {
    message: `Message ${id} to ${quote(recipient)} ${what}${why}`,
    fix: `aos why ${id}`,
    details: { id, recipient, state },
  });
}

function notYet(id: string, state: WaitedState, behind: readonly Delivery[]): AosError {
  const [first] = behind;
  const who = first === undefined ? 'Nobody' : quote(first.recipient);
  const how = first === undefined ? 'has got it yet' : `is at "${first.state}", not "${state}"`;
  return new AosError('message.not-yet', {
    message: `Message ${id} was sent, and ${who} ${how}`,
    fix: `aos why ${id}`,
    details: { id, behind },
  });
}
