/** The message that an id, or the beginning of one, means to a caller. */
import { AosError } from '../../../kernel/errors.ts';
import { quote } from '../../../kernel/text/quote.ts';
import type { MessageHistory, Relay } from '../../../relay/relay.ts';
import type { HomeCaller } from '../../server/authenticate.ts';
import { fewestDigits, findRow } from './find-row.ts';

type History = Pick<Relay, 'history' | 'idsFrom'>;

/** Nobody learns of messages that they neither sent nor got, also not that there are any. */
export function findMessage(
  relay: History,
  caller: HomeCaller,
  typed: string,
): Promise<MessageHistory> {
  return findRow(
    {
      what: 'messages',
      find: (id) => relay.history(id),
      idsFrom: (start, limit) => relay.idsFrom(start, limit),
      idOf: ({ id }) => id,
      isVisible: (history) => mayKnow(caller, history),
      unknown: unknownMessage,
    },
    typed,
  );
}

function mayKnow(caller: HomeCaller, { from, deliveries }: MessageHistory): boolean {
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
