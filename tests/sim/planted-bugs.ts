/** Bugs that the simulator has to find. Each is put between the relay and its ledger. */

import type { Ledger } from '../../src/ledger/ledger.ts';
import { claimText } from '../../src/ledger/messages/deliveries.ts';
import { borrowed, bound } from './stale-looks.ts';

/** Callers are answered when their work is done, and not when it is on disk. */
export function answerBeforeDurable(ledger: Ledger): Ledger {
  return {
    ...borrowed(ledger),
    transact: <T>(work: Parameters<typeof ledger.transact<T>>[0]) =>
      new Promise<T>((resolve, reject) => {
        const early = async (tx: Parameters<typeof work>[0]): Promise<void> =>
          resolve(await work(tx));
        ledger.transact(early).catch(reject);
      }),
  };
}

const guard = ` and state = 'accepted' and owner is null`;

/** Whoever claims a delivery gets it, also when somebody else has it. */
export function claimUnguarded(ledger: Ledger): Ledger {
  if (!claimText.includes(guard)) throw new Error('the claim has no such guard any more');
  const unguarded = claimText.replace(guard, '');
  return {
    ...borrowed(ledger),
    transact: (work) =>
      ledger.transact((tx) =>
        work({
          ...bound(tx),
          all: (text, parameters) => tx.all(text === claimText ? unguarded : text, parameters),
        }),
      ),
  };
}

const forgotten = `
  select m.id, d.recipient, d.size_bytes from messages m join deliveries d on d.message = m.id
  where m.agent_name = '__orchestrator__' and m.message_type = 'nack'
    and m.body like '% could not be delivered: %' and d.state = 'accepted'`;

/** The sender of a dead letter is not told. */
export function forgetDeadLetters(ledger: Ledger): Ledger {
  return {
    ...borrowed(ledger),
    transact: (work) =>
      ledger.transact(async (tx) => {
        const value = await work(tx);
        const told = await tx.all<{ id: number; recipient: string; size_bytes: number }>(forgotten);
        for (const { id, recipient, size_bytes } of told) {
          await tx.run('delete from messages where id = $1', [id]);
          await tx.run('delete from deliveries where message = $1', [id]);
          await tx.run(
            `update mailboxes set pending = pending - 1, pending_bytes = pending_bytes - $2
             where recipient = $1`,
            [recipient, size_bytes],
          );
        }
        return value;
      }),
  };
}
