/**
 * What an earlier daemon has left: programs that still run are adopted, those that ended
 * meanwhile end now, and those of which it is not known whether they were started are killed.
 */

import type { RestartDecision } from '../../kernel/agent/agent.ts';
import { madeAt } from '../../kernel/new-id.ts';
import type { ProgramRecord } from '../../kernel/programs.ts';
import type { HeldSandboxBody } from '../../kernel/sandbox.ts';
import {
  agentInnards,
  type CommandAgent,
  commandAgents,
  findAgent,
  setProgram,
} from '../../ledger/agents.ts';
import { freeLease } from '../../ledger/operations/leases.ts';
import { turnTo } from '../life.ts';
import { leaseOf } from './begin-program.ts';
import type { BodySandboxes, CommandDeps } from './deps.ts';
import { endProgram } from './end-program.ts';
import {
  type LiveProgram,
  limitOf,
  readCommandSpec,
  readProgram,
  type StoredProgram,
} from './stored-program.ts';

export interface RecoveredInto {
  adopted(name: string, live: LiveProgram): void;
  ended(name: string, decision: RestartDecision): void;
}

/** Those who wait to be started, in the order in which they came to wait. */
export async function recoverPrograms(
  deps: CommandDeps,
  into: RecoveredInto,
): Promise<{ readonly waiting: readonly string[] }> {
  const waiting: string[] = [];
  for (const agent of await commandAgents(deps.ledger.committed)) {
    try {
      if (await recoverOne(deps, agent, into)) waiting.push(agent.name);
    } catch (failure) {
      // One that is damaged must not keep the others from being found.
      deps.log.error({ err: failure, agent: agent.name }, 'an agent was not found again');
    }
  }
  return { waiting };
}

/** True when it is to be started. */
async function recoverOne(
  deps: CommandDeps,
  agent: CommandAgent,
  into: RecoveredInto,
): Promise<boolean> {
  const { name, state } = agent;
  const stored = readProgram(agent.program);
  if (stored?.isPending) await clearUnfinished(deps, name, stored);
  else if (stored !== undefined) await recoverProgram(deps, agent, { stored, into });
  else if (state === 'running') await endWithout(deps, name, into);
  return state === 'pending' && (stored === undefined || (await isStillPending(deps, name)));
}

/** It was being started when the daemon died; whether it has done anything is not known. */
async function clearUnfinished(
  { programs, sandboxes, ledger, clock }: CommandDeps,
  name: string,
  { record }: StoredProgram,
): Promise<void> {
  await programs.adopt(record).kill();
  forget(sandboxes, name, record);
  await ledger.transact(async (tx) => {
    const { restart } = readCommandSpec(name, (await agentInnards(tx, name))?.spec ?? null);
    await setProgram(tx, name, { program: null, pid: null });
    // The process that took it is dead.
    await freeLease(tx, leaseOf(name));
    if (restart !== 'never') return;
    const reason = 'the daemon ended while it was being started';
    const turn = { from: ['pending'] as const, actor: 'system', at: clock.now() };
    await turnTo(tx, name, { ...turn, to: 'failed', reason });
  });
}

async function isStillPending({ ledger }: CommandDeps, name: string): Promise<boolean> {
  return (await findAgent(ledger.committed, name))?.state === 'pending';
}

interface Recovering {
  readonly stored: StoredProgram;
  readonly into: RecoveredInto;
}

async function recoverProgram(
  deps: CommandDeps,
  agent: CommandAgent,
  { stored, into }: Recovering,
): Promise<void> {
  const { name } = agent;
  if ((await deps.leases.take(leaseOf(name))) === undefined) {
    deps.log.error({ agent: name }, 'an agent runs under the lease of somebody else');
    return;
  }
  const program = deps.programs.adopt(stored.record);
  if (program.condition() === 'gone') {
    into.ended(name, await endUnwatched(deps, name, { program, logFrom: stored.logFrom }));
    return;
  }
  const mode = agent.state === 'paused' ? 'paused' : 'running';
  if (mode === 'paused') await program.freeze();
  await tellAdopted(deps, name, stored);
  const ranMs = Math.max(0, deps.clock.now() - madeAt(stored.record.id));
  const sinceMs = deps.clock.monotonicMs() - ranMs;
  into.adopted(name, { program, logFrom: stored.logFrom, sinceMs, mode });
}

async function tellAdopted(
  { ledger }: CommandDeps,
  name: string,
  { record: { pid, sandboxed } }: StoredProgram,
): Promise<void> {
  const about = { actor: 'system', subject: `agent:${name}` };
  const sandbox = sandboxed === true ? 'on' : 'off';
  await ledger.transact(async (tx) => {
    await tx.record({ ...about, kind: 'agent.adopted', data: { pid, sandbox } });
    // Who accepted its connections has died, and no other process can.
    if (sandboxed === true) await tx.record({ ...about, kind: 'sandbox.network-lost' });
  });
}

async function endUnwatched(
  deps: CommandDeps,
  name: string,
  { program, logFrom }: Pick<LiveProgram, 'program' | 'logFrom'>,
): Promise<RestartDecision> {
  const { record } = program;
  const end = await program.ended;
  using held = record.sandboxed === true ? hold(deps.sandboxes, name, record) : undefined;
  const stoppedBy = limitOf({ held }, end);
  await program.kill();
  const endedAt = program.endedAt();
  const ended = { id: record.id, end, ranMs: undefined, endedAt, logFrom, stoppedBy };
  const decision = await endProgram(deps, name, ended);
  deps.logs.forget(record);
  await deps.leases.release(leaseOf(name));
  deps.onEnd?.(name);
  return decision;
}

/** Of one that is over: only to find what was made for it. */
function hold(sandboxes: BodySandboxes, name: string, { id, pid }: ProgramRecord): HeldSandboxBody {
  return sandboxes.hold(name, { id, pid, stop: () => {} });
}

function forget(sandboxes: BodySandboxes, name: string, record: ProgramRecord): void {
  hold(sandboxes, name, record)[Symbol.dispose]();
}

/** A row that says running and names no program is damaged; it must not say so for long. */
async function endWithout(deps: CommandDeps, name: string, into: RecoveredInto): Promise<void> {
  const end = { kind: 'unknown' } as const;
  const ended = { id: 'none', end, ranMs: undefined, logFrom: 0 };
  into.ended(name, await endProgram(deps, name, ended));
}
