/**
 * Making agents.
 *
 * P1. A model agent is rows: itself, its key's address, its grants, its budget and its first
 *     goal are one transaction. It is there with all of them, or not at all.
 * P2. A command agent has a folder, a handle and a socket besides, made by registering it; the
 *     same rows are written in that transaction, and its program starts afterwards.
 * P3. A child gets what its parent names: grants that are provably narrower than the parent's
 *     own, and a budget that is taken out of the parent's. Nothing else.
 * P4. What is shown through the wall around a program, or that there is none, is the owner's
 *     choice: any other that asks for it is refused.
 */

import {
  type AgentSpec,
  checkNewAgentName,
  type ModelSpec,
  sandboxOf,
} from '../kernel/agent/agent.ts';
import type { Limits } from '../kernel/agent/budget.ts';
import { AosError } from '../kernel/errors.ts';
import { must } from '../kernel/must.ts';
import { newId } from '../kernel/new-id.ts';
import type { Clock, Instant, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import {
  type AgentRow,
  agentOfSpawnKey,
  findAgent,
  findAgentInAnyCase,
  insertAgent,
  setPresence,
  setSpawned,
} from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { deleteBudget, insertBudget } from '../ledger/operations/leases.ts';
import { openOperationsOf } from '../ledger/operations/operations.ts';
import { grantsHeldBy } from '../ledger/security/grants.ts';
import { insertPrincipal } from '../ledger/security/principals.ts';
import type { CapabilityManager } from '../security/grants/capability-manager.ts';
import type { GrantChanges, Grants } from '../security/grants/grants.ts';
import type { AgentKeys } from '../security/identity/principal-keys.ts';
import { type RegisterDeps, registerAgent } from '../security/register.ts';
import { holdAll, settleAll, shortfallError, takeAllowance } from './budgets.ts';
import { turnTo } from './life.ts';
import { checkGoal, enqueue, type Goal } from './submit.ts';

export interface SpawnDeps extends RegisterDeps {
  readonly grants: Grants;
  readonly capabilities: CapabilityManager;
  readonly keys: AgentKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly home: string;
}

export interface SpawnOrder {
  readonly name: string;
  readonly spec: AgentSpec;
  /** The principal that wants it. */
  readonly by: string;
  readonly parent?: string | undefined;
  /** In either spelling. Of an agent's child they are delegated from the agent's own. */
  readonly grants?: readonly string[] | undefined;
  /** A human has to approve every use of these. */
  readonly askingGrants?: readonly string[] | undefined;
  readonly budget?: Limits | undefined;
  /** The budgets that its own is taken out of. */
  readonly paidBy?: readonly string[] | undefined;
  /** The budgets in which it counts as a child, where nothing else is taken out of them. */
  readonly countsFor?: readonly string[] | undefined;
  /** What it is to do first; with its owner and its agent filled in. */
  readonly goal?: Omit<Goal, 'owner' | 'agent'> | undefined;
  /** What it is made for and will be given at once: its budget has to cover the first request too. */
  readonly madeFor?: Pick<Goal, 'text' | 'budget'> | undefined;
  /** Of the tool call that spawns it: run again, it is the same agent. */
  readonly spawnKey?: string | undefined;
}

export interface Spawned {
  readonly agentId: string;
  /** Of its first goal. */
  readonly operationId: string | undefined;
  /** Shown once, of an agent that has one. */
  readonly handle?: string | undefined;
}

/** With what became of its program. */
export interface SpawnedHere extends Spawned {
  readonly pid?: number | undefined;
  /** For others to end: as many programs run as may at once. */
  readonly isWaiting?: boolean | undefined;
}

export async function spawn(deps: SpawnDeps, order: SpawnOrder): Promise<Spawned> {
  checkNewAgentName(order.name);
  if (order.goal !== undefined) checkGoal({ ...order.goal, owner: order.by });
  refuseOwnersChoices(order);
  return order.spec.body === 'model'
    ? spawnModel(deps, order, order.spec)
    : spawnCommand(deps, order);
}

// P4
function refuseOwnersChoices({ name, spec, by }: SpawnOrder): void {
  if (spec.body !== 'command' || by === 'owner') return;
  const chosen = (['unsandboxed', 'sees', 'writable'] as const).filter(
    (choice) => spec[choice] !== undefined,
  );
  if (chosen.length === 0) return;
  throw new AosError('capability.denied', {
    message: `Agent ${quote(name)} cannot be made: ${chosen.join(', ')} is the owner's choice alone`,
    fix: 'Leave that out, or let the owner spawn it',
    details: { chosen },
  });
}

const over = ['completed', 'failed', 'terminated'] as const;

// P1
async function spawnModel(deps: SpawnDeps, order: SpawnOrder, spec: ModelSpec): Promise<Spawned> {
  const { name } = order;
  const at = deps.clock.now();
  const key = deps.keys.of(name);
  const operationId = order.goal === undefined ? undefined : newId(at, deps.random);
  const before = await grantsHeldBy(deps.ledger.committed, `agent:${name}`);
  return deps.grants.change(
    async (tx, changes) => {
      const same = await spawnedBefore(tx, order);
      if (same !== undefined) return same;
      const known = await findAgentInAnyCase(tx, name);
      if (known === undefined) {
        const facts = { status: 'active', state: 'pending', body: 'model' } as const;
        await insertAgent(tx, { name, registered_at: at, ...facts });
        const { address, publicKey: public_key } = key;
        const principal = { id: `agent:${name}`, kind: 'agent', address, public_key } as const;
        await insertPrincipal(tx, { ...principal, created_at: at });
      } else {
        const isOver = await turnTo(tx, name, { to: 'pending', from: over, actor: order.by, at });
        const isSame = known.name === name && known.body === 'model';
        if (!isSame || !isOver || !mayHaveAgain(known, order.by)) throw nameTaken(name, known.name);
        // P3: nothing of before is left to it.
        for (const { id } of before) await changes.revoke(id);
        await setPresence(tx, name, 'active');
      }
      await writeSpawned(deps, tx, { order, spec, changes, at });
      if (order.goal !== undefined && operationId !== undefined) {
        const goal = { ...order.goal, owner: order.by };
        const because = `agent ${quote(name)} was spawned for it`;
        await enqueue(tx, { id: operationId, goal, agent: name, because, at });
      }
      return { agentId: name, operationId };
    },
    before.map(({ id }) => id),
  );
}

/** The name of one that is over: whose agent it was may use it again, and the owner may. */
export function mayHaveAgain({ spawned_by }: Pick<AgentRow, 'spawned_by'>, by: string): boolean {
  return by === 'owner' || spawned_by === by;
}

// P2
async function spawnCommand(deps: SpawnDeps, order: SpawnOrder): Promise<Spawned> {
  const { name, spec, by } = order;
  const at = deps.clock.now();
  const before = await spawnedBefore(deps.ledger.committed, order);
  if (before !== undefined) return before;
  const { handle } = await registerAgent(deps, deps.home, {
    name,
    actor: by,
    body: 'command',
    also: (tx, changes) => writeSpawned(deps, tx, { order, spec, changes, at }),
  });
  return { agentId: name, operationId: undefined, handle };
}

interface Writing {
  readonly order: SpawnOrder;
  readonly spec: AgentSpec;
  readonly changes: GrantChanges;
  readonly at: Instant;
}

async function writeSpawned(
  deps: SpawnDeps,
  tx: Transaction,
  { order, spec, changes, at }: Writing,
): Promise<void> {
  const { name, by, parent, spawnKey } = order;
  await refuseRing(tx, name, parent);
  await countChild(tx, order.countsFor ?? []);
  await setSpawned(tx, name, {
    ...{ spec: JSON.stringify(spec), spawned_by: by, parent: parent ?? null },
    ...{ spawn_key: spawnKey ?? null, state_at: at },
  });
  await giveGrants(deps, tx, changes, order);
  const budget = `agent:${name}`;
  // Of one that was terminated and comes back.
  await deleteBudget(tx, budget);
  const limits = order.budget ?? {};
  if (order.paidBy === undefined) await insertBudget(tx, budget, limits);
  else await takeAllowance(tx, { from: order.paidBy, to: budget, limits });
  await tx.record({
    actor: by,
    kind: 'agent.spawned',
    subject: `agent:${name}`,
    data: { body: spec.body, parent, ...bodyFacts(spec) },
  });
}

function bodyFacts(spec: AgentSpec): object {
  if (spec.body === 'model') return { model: spec.model };
  const { sees, writable } = spec;
  return { sandbox: sandboxOf(spec), sees, writable };
}

/** No agent is below itself. */
async function refuseRing(
  tx: Transaction,
  name: string,
  parent: string | undefined,
): Promise<void> {
  for (let above = parent; above !== undefined; ) {
    if (above === name) {
      throw new AosError('agent.bad-spec', {
        message: `Agent ${quote(name)} cannot be below ${quote(must(parent, 'the parent of a ring'))}, which is below it`,
        fix: 'Name another parent, or none',
      });
    }
    above = (await findAgent(tx, above))?.parent ?? undefined;
  }
}

async function countChild(tx: Transaction, budgets: readonly string[]): Promise<void> {
  const child = { children: 1 };
  const short = await holdAll(tx, budgets, child);
  if (short !== undefined) throw shortfallError(short);
  await settleAll(tx, budgets, { held: child, used: child });
}

// P3
async function giveGrants(
  { capabilities }: SpawnDeps,
  tx: Transaction,
  changes: GrantChanges,
  { name, by, grants = [], askingGrants = [] }: SpawnOrder,
): Promise<void> {
  const giver = /^agent:(.+)$/.exec(by)?.[1];
  const wanted = [
    ...grants.map((capability) => ({ agent: name, capability, asks: false })),
    ...askingGrants.map((capability) => ({ agent: name, capability, asks: true })),
  ];
  for (const grant of wanted) {
    if (giver === undefined) await capabilities.grantIn(tx, changes, grant, by);
    else await capabilities.delegateIn(tx, changes, { ...grant, from: giver }, by);
  }
}

/** What a call that is run again has made. */
async function spawnedBefore(
  sql: Parameters<typeof openOperationsOf>[0],
  { spawnKey, name, by }: SpawnOrder,
): Promise<Spawned | undefined> {
  if (spawnKey === undefined) return undefined;
  const agent = await agentOfSpawnKey(sql, { spawnKey, name, by });
  if (agent === undefined) return undefined;
  const [operation] = await openOperationsOf(sql, agent);
  return { agentId: agent, operationId: operation?.id };
}

function nameTaken(name: string, holder: string): AosError {
  return new AosError('agent.exists', {
    message:
      holder === name
        ? `There is an agent ${quote(name)} already`
        : `There is an agent ${quote(holder)} already, and names must differ in more than case`,
    fix: 'Choose another name, or end that one first: aos kill NAME',
    details: { name: holder },
  });
}
