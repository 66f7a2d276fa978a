/**
 * Whose files an agent's are under a daemon of root: a uid of its own for each, kept for as
 * long as the agent is there. They are picked by chance from a wide range, so that two homes
 * on one machine hardly share one.
 */
import { agentUids, type Clock, type Random } from '../../kernel/ports.ts';
import { setUid, uidOf } from '../../ledger/agents.ts';
import { type Ledger, readState, type Transaction, writeState } from '../../ledger/ledger.ts';
import { unknownAgent } from '../../security/register.ts';

export interface UidDeps {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
}

const ownerKey = 'sandbox_owner_uid';

/** The uid of an agent, the same whenever it is asked for. */
export async function uidFor({ ledger, random, clock }: UidDeps, principal: string) {
  const name = /^agent:(.+)$/.exec(principal)?.[1];
  const sql = ledger.committed;
  if (name !== undefined) {
    const known = await uidOf(sql, name);
    if (known != null) return known;
    return ledger.transact((tx) => giveUid(tx, random, name));
  }
  const known = await readState(sql, ownerKey);
  if (known !== undefined) return Number(known);
  const uid = pick(random);
  await ledger.transact(async (tx) => writeState(tx, ownerKey, String(uid), clock.now()));
  return uid;
}

async function giveUid(tx: Transaction, random: Random, name: string): Promise<number> {
  for (;;) {
    const uid = pick(random);
    if (await setUid(tx, name, uid)) return uid;
    const known = await uidOf(tx, name);
    if (known != null) return known;
    if (known === undefined) throw unknownAgent(name);
  }
}

function pick(random: Random): number {
  return agentUids.first + (Buffer.from(random.bytes(4)).readUInt32BE() % agentUids.count);
}
