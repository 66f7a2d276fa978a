import { AosError } from '../kernel/errors.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { insertHandle, revokeHandlesOf } from '../ledger/security/principals.ts';
import { endOfHandle, hashOfHandle, mintHandle } from './handles.ts';
import type { Registration } from './register.ts';

export interface RenewDeps {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
}

/** Gives an agent a new handle; those it had are worth nothing from then on. */
export async function renewHandle(
  { ledger, random, clock }: RenewDeps,
  { name, actor, handleMs }: Registration,
): Promise<{ readonly name: string; readonly handle: string }> {
  const handle = mintHandle(random);
  const principal = `agent:${name}`;
  await ledger.transact(async (tx) => {
    if ((await findAgent(tx, name)) === undefined) throw unknownAgent(name);
    const now = clock.now();
    const revoked = await revokeHandlesOf(tx, principal, now);
    const hash = hashOfHandle(handle);
    const expires_at = endOfHandle(now, handleMs);
    await insertHandle(tx, { hash, principal, created_at: now, expires_at });
    const data = { revoked };
    await tx.record({ actor, kind: 'identity.handle-renewed', subject: principal, data });
  });
  return { name, handle };
}

/** The same to whoever may not know of it. */
export function unknownAgent(name: string): AosError {
  return new AosError('agent.unknown', {
    message: `There is no agent ${quote(name)}`,
    fix: 'aos ps lists those that there are',
  });
}
