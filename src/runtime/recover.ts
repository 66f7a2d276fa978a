/**
 * What a process that died, or stopped, left of its model agents. What ran goes back into the
 * queue and is taken up from its journal; what waits goes on waiting, under a lease of ours.
 */
import type { Clock } from '../kernel/ports.ts';
import { agentsInState } from '../ledger/agents.ts';
import { freeLease } from '../ledger/leases.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type OperationRow, operationsIn } from '../ledger/operations.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { turnTo } from './life.ts';
import { putBack } from './submit.ts';

export interface RecoverDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly leases: LeaseKeeper;
}

/** Resolves to those that wait. */
export async function recoverModelAgents(deps: RecoverDeps): Promise<readonly OperationRow[]> {
  const { ledger } = deps;
  for (const operation of await operationsIn(ledger.committed, 'running'))
    await backToQueue(deps, operation);
  const waiting = await operationsIn(ledger.committed, 'waiting');
  const busy = new Set<string>();
  const running = new Set(await agentsInState(ledger.committed, 'running', 'model'));
  for (const { agent } of waiting) {
    // One that is paused does not run, and needs no lease.
    if (running.has(agent) && (await deps.leases.take(`agent:${agent}`)) !== undefined) {
      busy.add(agent);
    }
  }
  await settleOthers(deps, busy);
  return waiting;
}

async function backToQueue(
  { ledger, clock }: RecoverDeps,
  { id, agent }: OperationRow,
): Promise<void> {
  await ledger.transact(async (tx) => {
    const at = clock.now();
    const reason = 'its daemon ended; it goes on from its journal';
    await turnTo(tx, agent, { to: 'pending', from: ['running'], reason, actor: 'system', at });
    await freeLease(tx, `agent:${agent}`);
    await putBack(tx, id, { from: ['running'], actor: 'system', at });
  });
}

/** Those that show `running` with nothing to do. */
async function settleOthers(
  { ledger, clock }: RecoverDeps,
  busy: ReadonlySet<string>,
): Promise<void> {
  for (const name of await agentsInState(ledger.committed, 'running', 'model')) {
    if (busy.has(name)) continue;
    await ledger.transact(async (tx) => {
      const turn = { to: 'pending', from: ['running'], actor: 'system', at: clock.now() } as const;
      await turnTo(tx, name, { ...turn, reason: 'it had nothing to do when its daemon ended' });
      await freeLease(tx, `agent:${name}`);
    });
  }
}
