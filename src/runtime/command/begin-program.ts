/**
 * Starting the program of an agent.
 *
 * B1. Lease, note, program, row: whoever dies in between leaves a note of the start's id in
 *     the row, by which recover() finds and kills what may have been started.
 * B2. A program that the ledger could not be told of does not go on.
 */
import type { CommandSpec } from '../../kernel/agent-spec.ts';
import { AosError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/new-id.ts';
import type { RunningProgram } from '../../kernel/programs.ts';
import { quote } from '../../kernel/quote.ts';
import { agentInnards, findAgent, setProgram } from '../../ledger/agents.ts';
import { unknownAgent } from '../../security/renew-handle.ts';
import { mustTurnTo, turnTo } from '../life.ts';
import type { CommandDeps } from './deps.ts';
import {
  pendingProgram,
  placesOf,
  programText,
  readCommandSpec,
  type StoredProgram,
} from './stored-program.ts';

export interface BegunProgram {
  readonly program: RunningProgram;
  readonly logFrom: number;
  readonly sinceMs: number;
}

export function leaseOf(name: string): string {
  return `agent:${name}`;
}

/** The agent is `running` under a lease when this resolves. */
export async function beginProgram(deps: CommandDeps, name: string): Promise<BegunProgram> {
  const spec = await specOfPending(deps, name);
  if ((await deps.leases.take(leaseOf(name))) === undefined) throw heldElsewhere(name);
  try {
    return await beginUnderLease(deps, name, spec);
  } catch (failure) {
    await deps.leases.release(leaseOf(name));
    throw failure;
  }
}

/** Throws when the agent is not there, does not run as a program, or cannot be started. */
export async function specOfPending({ ledger }: CommandDeps, name: string): Promise<CommandSpec> {
  const agent = await findAgent(ledger.committed, name);
  const innards = await agentInnards(ledger.committed, name);
  if (agent === undefined || innards === undefined) throw unknownAgent(name);
  const spec = readCommandSpec(name, innards.spec);
  if (agent.state === 'pending') return spec;
  throw new AosError('agent.wrong-state', {
    message: `Agent ${quote(name)} is ${agent.state}, and only one that is pending is started`,
    fix: `aos inspect ${name} tells how it came to that`,
    details: { state: agent.state },
  });
}

async function beginUnderLease(
  deps: CommandDeps,
  name: string,
  spec: CommandSpec,
): Promise<BegunProgram> {
  const { ledger, clock, random, logs, home } = deps;
  const places = placesOf(home, name);
  const logFrom = logs.sizeOf(places.log);
  const noted = pendingProgram(newId(clock.now(), random), places.statusFolder, logFrom);
  // B1
  await ledger.transact((tx) => setProgram(tx, name, { program: programText(noted), pid: null }));
  const sinceMs = clock.monotonicMs();
  const program = await startOrFail(deps, name, { spec, noted });
  try {
    const stored = { record: program.record, logFrom, isPending: false };
    await tellRunning(deps, name, stored, program.programPid() ?? program.record.pid);
  } catch (failure) {
    // B2
    await program.kill();
    throw failure;
  }
  return { program, logFrom, sinceMs };
}

interface Start {
  readonly spec: CommandSpec;
  readonly noted: StoredProgram;
}

async function startOrFail(deps: CommandDeps, name: string, start: Start): Promise<RunningProgram> {
  const { spec, noted } = start;
  const { log, statusFolder, workspace } = placesOf(deps.home, name);
  try {
    return await deps.programs.start({
      id: noted.record.id,
      argv: spec.argv,
      cwd: spec.cwd ?? workspace,
      env: await deps.environmentOf(name, spec),
      logPath: log,
      statusFolder,
    });
  } catch (failure) {
    await tellNotStarted(deps, name, failure);
    throw failure;
  }
}

/** The agent is failed, with the reason. */
export async function tellNotStarted(
  deps: CommandDeps,
  name: string,
  failure: unknown,
): Promise<void> {
  const { ledger, clock } = deps;
  const known = failure instanceof AosError ? failure : undefined;
  const reason = known?.message ?? 'It could not be started; the log of the daemon tells more';
  if (known === undefined) deps.log.error({ err: failure, agent: name }, 'a start failed');
  await ledger.transact(async (tx) => {
    await setProgram(tx, name, { program: null, pid: null });
    const data = { code: known?.code };
    await turnTo(tx, name, { to: 'failed', reason, actor: 'system', at: clock.now(), data });
  });
}

async function tellRunning(
  { ledger, clock }: CommandDeps,
  name: string,
  stored: StoredProgram,
  pid: number,
): Promise<void> {
  await ledger.transact(async (tx) => {
    await setProgram(tx, name, { program: programText(stored), pid });
    const at = clock.now();
    const data = { pid };
    await mustTurnTo(tx, name, { to: 'running', from: ['pending'], actor: 'system', at, data });
  });
}

function heldElsewhere(name: string): AosError {
  return new AosError('lease.lost', {
    message: `Somebody else works on agent ${quote(name)}`,
    fix: 'Nothing: the work goes on there',
  });
}
