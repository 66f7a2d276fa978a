/**
 * What a process that died, or stopped, left of its model agents. What ran goes back into the
 * queue and is taken up from its journal; what waits goes on waiting, under a lease of ours.
 */
import type { Clock } from '../kernel/ports.ts';
import { agentsInState, findAgent } from '../ledger/agents.ts';
import type { Ledger, Transaction } from '../ledger/ledger.ts';
import { freeLease } from '../ledger/operations/leases.ts';
import { type OperationRow, operationsIn } from '../ledger/operations/operations.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { turnTo } from './life.ts';
import { putBack } from './submit.ts';

export interface RuntimeRecoverDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly leases: LeaseKeeper;
}

const batchAgents = 200;

/** Resolves to those that wait. */
export async function recoverModelAgents(
  deps: RuntimeRecoverDeps,
): Promise<readonly OperationRow[]> {
  const { ledger } = deps;
  for (const operation of await operationsIn(ledger.committed, 'running'))
    await backToQueue(deps, operation);
  const waiting = await operationsIn(ledger.committed, 'waiting');
  const busy = new Set<string>();
  // Together: callers of one turn share a flush.
  for (let start = 0; start < waiting.length; start += batchAgents) {
    const some = waiting.slice(start, start + batchAgents);
    const held = await Promise.all(some.map(({ agent }) => holdAgain(deps, agent)));
    for (const [place, { agent }] of some.entries()) if (held[place]) busy.add(agent);
  }
  await settleOthers(deps, busy);
  return waiting;
}

/** One whose goal waits is at work, under a lease; false where it is paused, and needs none. */
async function holdAgain(deps: RuntimeRecoverDeps, agent: string): Promise<boolean> {
  const { ledger, leases } = deps;
  const token = await ledger.transact((tx) => holdAgainIn(deps, tx, agent));
  if (token !== undefined) leases.keep(`agent:${agent}`, token);
  return token !== undefined;
}

/** Like holdAgain(), in a transaction of the caller, who keeps the lease once that is on disk. */
export async function holdAgainIn(
  { leases, clock }: RuntimeRecoverDeps,
  tx: Transaction,
  agent: string,
): Promise<number | undefined> {
  const turn = { actor: 'system', at: clock.now() };
  await turnTo(tx, agent, { ...turn, to: 'running', from: ['pending'] });
  if ((await findAgent(tx, agent))?.state !== 'running') return undefined;
  return leases.takeIn(tx, `agent:${agent}`);
}

/** This process stops: what it works on is left for the next one, and shows it. */
export async function leaveModelAgents(deps: RuntimeRecoverDeps): Promise<void> {
  const { ledger, clock } = deps;
  const { committed } = ledger;
  for (const operation of await operationsIn(committed, 'running')) {
    await backToQueue(deps, operation);
  }
  for (const { agent } of await operationsIn(committed, 'waiting')) {
    await ledger.transact(async (tx) => {
      const turn = { to: 'pending', from: ['running'], actor: 'system', at: clock.now() } as const;
      await turnTo(tx, agent, { ...turn, reason: 'its daemon was stopped; its goal waits on' });
      await freeLease(tx, `agent:${agent}`);
    });
  }
}

async function backToQueue(
  { ledger, clock }: RuntimeRecoverDeps,
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
  { ledger, clock }: RuntimeRecoverDeps,
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
