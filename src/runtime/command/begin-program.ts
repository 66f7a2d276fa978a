/**
 * Starting the program of an agent.
 *
 * B1. Lease, note, program, row: a daemon that dies in between leaves a note of the start's id in
 *     the row, by which recover() finds and kills what may have been started.
 * B2. A program that the ledger could not be told of does not go on.
 * B3. Nothing that was made for a sandbox outlives a start that failed.
 */
import type { CommandSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/new-id.ts';
import type { RunningProgram } from '../../kernel/programs.ts';
import type { BodyOrder, SandboxedBody } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';
import { agentInnards, findAgent, setProgram } from '../../ledger/agents.ts';
import { unknownAgent } from '../../security/register.ts';
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
  readonly network: AsyncDisposable | undefined;
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
  const started = await startOrFail(deps, name, { spec, noted });
  const { program, network } = started;
  try {
    const stored = { record: program.record, logFrom, isPending: false };
    await tellRunning(deps, name, stored, program.programPid() ?? program.record.pid);
  } catch (failure) {
    // B2
    await program.kill();
    await undo(started);
    throw failure;
  }
  return { program, logFrom, sinceMs, network };
}

interface Start {
  readonly spec: CommandSpec;
  readonly noted: StoredProgram;
}

interface Started extends Sandboxed {
  readonly program: RunningProgram;
}

/** What was made for the sandbox of a program, if it has one. */
interface Sandboxed {
  body?: SandboxedBody | undefined;
  network?: AsyncDisposable | undefined;
}

async function startOrFail(deps: CommandDeps, name: string, start: Start): Promise<Started> {
  const { spec, noted } = start;
  const { log, statusFolder, workspace } = placesOf(deps.home, name);
  const { id } = noted.record;
  const made: Sandboxed = {};
  try {
    const order = await deps.sandboxes.orderFor(name, spec);
    const program = await deps.programs.start({
      ...{ id, argv: spec.argv, cwd: spec.cwd ?? workspace, logPath: log, statusFolder },
      ...(order === undefined
        ? { env: await deps.environmentOf(name, spec) }
        : { env: {}, sandbox: await prepare(deps, made, { ...order, id }) }),
      onListener: (server) => {
        made.network = deps.sandboxes.serve(name, server);
      },
    });
    return { ...made, program };
  } catch (failure) {
    await undo(made);
    await tellNotStarted(deps, name, failure);
    throw failure;
  }
}

async function prepare(
  { sandboxes }: CommandDeps,
  made: Sandboxed,
  order: BodyOrder,
): Promise<SandboxedBody> {
  made.body = await sandboxes.prepare(order);
  return made.body;
}

// B3
async function undo({ body, network }: Sandboxed): Promise<void> {
  await network?.[Symbol.asyncDispose]();
  body?.[Symbol.dispose]();
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
    const sandbox = stored.record.sandboxed === true ? 'on' : 'off';
    const data = { pid, sandbox };
    await mustTurnTo(tx, name, { to: 'running', from: ['pending'], actor: 'system', at, data });
  });
}

function heldElsewhere(name: string): AosError {
  return new AosError('lease.lost', {
    message: `Somebody else works on agent ${quote(name)}`,
    fix: 'Nothing: the work goes on there',
  });
}
