import type { Instant } from '../kernel/ports.ts';
import { changeStatus, seeAgent } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';

/** Whoever does something is there: an inactive agent is active again with that. */
export async function noteSignOfLife(tx: Transaction, name: string, at: Instant): Promise<void> {
  if ((await seeAgent(tx, name, at)) !== 'inactive') return;
  await changeStatus(tx, name, { from: 'inactive', to: 'active' });
  await tx.record({ actor: 'system', kind: 'agent.active', subject: `agent:${name}` });
}
