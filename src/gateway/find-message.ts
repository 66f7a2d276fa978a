/** The message that an id, or the beginning of one, means to a caller. */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/quote.ts';
import type { MessageHistory, Relay } from '../relay/relay.ts';
import type { Caller } from './authenticate.ts';

type History = Pick<Relay, 'history' | 'idsFrom'>;

const fewestDigits = 4;
// Of so many that begin alike the caller's own are looked for.
const mostCandidates = 20;

/** Nobody learns of messages that they neither sent nor got, also not that there are any. */
export async function findMessage(
  relay: History,
  caller: Caller,
  typed: string,
): Promise<MessageHistory> {
  const whole = await relay.history(typed);
  if (whole !== undefined) {
    if (mayKnow(caller, whole)) return whole;
    throw unknownMessage(typed);
  }
  if (typed.length < fewestDigits) throw unknownMessage(typed);
  const fitting = await visible(relay, caller, await relay.idsFrom(typed, mostCandidates));
  const [first, second] = fitting;
  if (first === undefined) throw unknownMessage(typed);
  if (second !== undefined) throw ambiguous(typed, fitting);
  return first;
}

async function visible(
  relay: History,
  caller: Caller,
  ids: readonly string[],
): Promise<readonly MessageHistory[]> {
  const histories = await Promise.all(ids.map((id) => relay.history(id)));
  return histories.filter((found) => found !== undefined).filter((found) => mayKnow(caller, found));
}

function mayKnow(caller: Caller, { from, deliveries }: MessageHistory): boolean {
  if (caller.kind === 'owner') return true;
  const { name } = caller;
  return from === name || deliveries.some(({ recipient }) => recipient === name);
}

function unknownMessage(typed: string): AosError {
  const isShort = typed.length < fewestDigits;
  return new AosError('message.unknown', {
    message: `There is no message ${quote(typed.slice(0, 100))}`,
    fix: isShort ? `Type at least ${fewestDigits} digits of its id` : undefined,
  });
}

function ambiguous(typed: string, fitting: readonly MessageHistory[]): AosError {
  const ids = fitting.slice(0, 8).map(({ id }) => id);
  return new AosError('id.ambiguous', {
    message: `${quote(typed)} fits several messages: ${ids.join(', ')}`,
    fix: 'Type more of it',
  });
}
