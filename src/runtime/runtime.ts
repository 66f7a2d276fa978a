/**
 * The runtime: agents that live, stop, and come back. It holds the parts together; each of
 * them is a file of its own.
 *
 * T1. What somebody asks for (spawn, pause, resume, terminate) is in the ledger before it is
 *     answered, whatever the parts are doing.
 * T2. `recover` runs before anything is served: after it nothing shows `running` that does
 *     not run under a lease of this process.
 */

import { Bells } from '../kernel/bells.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import {
  type AgentRow,
  agentsInState,
  childrenOf,
  everyAgent,
  findAgent,
  setPresence,
} from '../ledger/agents.ts';
import { hasUnread } from '../ledger/find-mail.ts';
import { freeLease } from '../ledger/leases.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { recipientsWithPending } from '../ledger/mailboxes.ts';
import { listOperations, openOperationsOf } from '../ledger/operations.ts';
import type { RelayLog } from '../relay/deps.ts';
import { unknownAgent } from '../security/renew-handle.ts';
import type { ToolCalls } from '../tools/call.ts';
import { giveBack } from './budgets.ts';
import type { CommandBodies } from './command/command-bodies.ts';
import type { Followers } from './followers.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { mustTurnTo } from './life.ts';
import { type ModelRuns, specOf, type Why } from './model/model-runs.ts';
import { recoverModelAgents } from './recover.ts';
import { takeRequests } from './requests.ts';
import type { Scheduler } from './scheduler.ts';
import { type SpawnDeps, type Spawned, type SpawnOrder, spawn } from './spawn.ts';
import { type Asked, endTree } from './submit.ts';
import { type TellerDeps, tellAll } from './tell.ts';

export interface RuntimeDeps extends SpawnDeps, TellerDeps {
  readonly log: RelayLog;
  readonly leases: LeaseKeeper;
  readonly runs: ModelRuns;
  readonly commands: CommandBodies;
  readonly scheduler: Scheduler;
  readonly followers: Followers;
  readonly calls: Pick<ToolCalls, 'endOf'>;
  /** Who takes its mail in its turns; shared with the relay. */
  readonly modelAgents: Set<string>;
  /** A new agent with a handle needs its socket before its program starts. */
  openDoor(name: string): Promise<void>;
  /** The prompt of a program, as the first message in its inbox. */
  sendPrompt(order: SpawnOrder, prompt: string): Promise<void>;
}

const requestsBell = 'requests';
const tellBell = 'tell';
const tickMs = 5000;

export class AgentRuntime implements AsyncDisposable {
  readonly #deps: RuntimeDeps;
  readonly #bells: Bells;
  readonly #serving = new Set<string>();

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
    this.#bells = new Bells(deps.clock);
  }

  get scheduler(): Scheduler {
    return this.#deps.scheduler;
  }

  get followers(): Followers {
    return this.#deps.followers;
  }

  /** Resolves once it is there; a program also runs by then, or why not is thrown. */
  async spawn(order: SpawnOrder): Promise<Spawned & { readonly pid?: number | undefined }> {
    const spawned = await spawn(this.#deps, order);
    if (order.spec.body === 'model') {
      this.#deps.modelAgents.add(spawned.agentId);
      this.#deps.scheduler.wake();
      return spawned;
    }
    await this.#deps.openDoor(order.name);
    if (order.spec.prompt !== undefined) {
      await this.#deps.sendPrompt(order, order.spec.prompt);
    }
    await this.#deps.commands.start(order.name);
    const pid = (await findAgent(this.#deps.ledger.committed, order.name))?.pid ?? undefined;
    return { ...spawned, pid };
  }

  /** A model agent stops after its current step, a program where it is, a guest is let do nothing. */
  async pause(name: string, { by, reason }: Why): Promise<void> {
    const agent = await this.#find(name);
    const turn = { to: 'paused', reason: reason ?? `paused by ${by}`, actor: by } as const;
    switch (agent.body) {
      case 'command':
        return this.#deps.commands.pause(name, { by, reason });
      case 'model':
        if (await this.#deps.runs.pause(name, { by, reason })) {
          // It may have come to its end in that step.
          if ((await this.#find(name)).state === 'paused') return;
        }
        break;
      case 'guest':
        this.#deps.grants.setPaused(`agent:${name}`, true);
    }
    const { ledger, clock, leases } = this.#deps;
    await ledger.transact(async (tx) => {
      await mustTurnTo(tx, name, { ...turn, from: ['pending', 'running'], at: clock.now() });
      await freeLease(tx, `agent:${name}`);
    });
    leases.forget(`agent:${name}`);
  }

  async resume(name: string, { by }: Why): Promise<void> {
    const { ledger, clock, commands, scheduler, grants } = this.#deps;
    const agent = await this.#find(name);
    if (agent.body === 'command') return commands.resume(name, { by });
    const turn = { to: 'pending', from: ['paused'], actor: by } as const;
    await ledger.transact((tx) => mustTurnTo(tx, name, { ...turn, at: clock.now() }));
    if (agent.body === 'guest') grants.setPaused(`agent:${name}`, false);
    for (const { id, state } of await openOperationsOf(ledger.committed, name)) {
      if (state === 'paused') await scheduler.requeue(id, by);
    }
    scheduler.wake();
  }

  /** With all that it does, and all agents that it has spawned. */
  async terminate(name: string, why: Why): Promise<void> {
    const { ledger, clock, calls, commands, leases, scheduler } = this.#deps;
    const agent = await this.#find(name);
    const { by, reason } = why;
    for (const child of await childrenOf(ledger.committed, name)) {
      const state = (await findAgent(ledger.committed, child))?.state;
      if (state !== 'terminated')
        await this.terminate(child, { by, reason: `its parent ${name} was terminated` });
    }
    for (const { id } of await openOperationsOf(ledger.committed, name)) {
      await scheduler.cancel(id, why).catch(unlessOver);
      await this.#deps.runs.ended(id);
    }
    calls.endOf(`agent:${name}`, terminatedError(name));
    if (agent.body === 'command') await commands.terminate(name, why);
    else {
      const asked = await ledger.transact(async (tx) => {
        const turn = {
          to: 'terminated',
          actor: by,
          reason: reason ?? `terminated by ${by}`,
        } as const;
        await mustTurnTo(tx, name, { ...turn, at: clock.now() });
        await setPresence(tx, name, 'terminated');
        const left = await endAllOf(tx, name, { by, at: clock.now() });
        await freeLease(tx, `agent:${name}`);
        return left;
      });
      leases.forget(`agent:${name}`);
      for (const { id, error } of asked) this.#deps.runs.stop(id, error);
    }
    await ledger.transact((tx) => giveBack(tx, `agent:${name}`));
    this.toTell();
  }

  async getStatus(name: string): Promise<AgentRow> {
    return this.#find(name);
  }

  async listAgents(): Promise<AgentRow[]> {
    return Array.fromAsync(everyAgent(this.#deps.ledger.committed));
  }

  /** Something was put into a mailbox. A hint. */
  mailFor(agent: string): void {
    if (agent === relayItself) this.#bells.ring(requestsBell);
    if (!this.#deps.modelAgents.has(agent)) return;
    this.#deps.runs.mailFor(agent);
    this.serveMailOf(agent);
  }

  /** One that has nothing to do and has mail gets something to do. */
  serveMailOf(agent: string): void {
    if (this.#serving.has(agent)) return;
    this.#serving.add(agent);
    this.#serve(agent)
      .catch((failure: unknown) => {
        this.#deps.log.error({ error: toReport(failure), agent }, 'an agent could not be woken');
      })
      .finally(() => this.#serving.delete(agent));
  }

  toTell(): void {
    this.#bells.ring(tellBell);
  }

  // T2
  async recover(): Promise<void> {
    const { ledger, commands, runs, grants } = this.#deps;
    const waiting = await recoverModelAgents(this.#deps);
    for (const operation of waiting) runs.awaitAgain(operation);
    for (const name of await agentsInState(ledger.committed, 'paused', 'guest')) {
      grants.setPaused(`agent:${name}`, true);
    }
    await commands.recover();
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, leases, scheduler, runs } = this.#deps;
    for (const name of await recipientsWithPending(ledger.committed)) this.mailFor(name);
    // What runs is stopped with the signal, and only then is the scheduler done.
    signal.addEventListener('abort', () => void runs[Symbol.asyncDispose](), { once: true });
    await Promise.all([
      leases.run(signal),
      scheduler.run(signal),
      this.#repeat(tellBell, signal, () => this.#tell()),
      this.#repeat(requestsBell, signal, () => this.#takeRequests()),
      this.#repeat('tick', signal, () => this.#deps.commands.tick()),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.runs[Symbol.asyncDispose]();
    await this.#deps.commands[Symbol.asyncDispose]();
  }

  #tell(): Promise<void> {
    // One that waits to hear of its children goes on also when nothing could be sent.
    const told = (to: string) => this.#deps.runs.mailFor(to.replace(/^agent:/, ''));
    return tellAll({ ...this.#deps, told });
  }

  async #takeRequests(): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    const any = await takeRequests({
      ...{ ledger, clock, log },
      spawn: (order) => this.spawn(order),
      terminate: (name, why) => this.terminate(name, why),
    });
    if (any) this.toTell();
  }

  /** When its bell rings, and now and then. */
  async #repeat(bell: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await work();
      } catch (failure) {
        this.#deps.log.error(
          { error: toReport(failure), part: bell },
          'a part of the runtime failed',
        );
      }
      // Being stopped is the way this ends.
      await this.#bells.wait(bell, tickMs, signal).catch(() => {});
    }
  }

  /** A standing agent that has mail and nothing to do gets a goal of that. */
  async #serve(agent: string): Promise<void> {
    const { ledger, scheduler } = this.#deps;
    const row = await findAgent(ledger.committed, agent);
    if (row?.state !== 'pending' || !(await specOf(ledger.committed, agent)).is_standing) return;
    if ((await openOperationsOf(ledger.committed, agent)).length > 0) return;
    if (!(await hasUnread(ledger.committed, agent, servedKinds))) return;
    const [last] = await listOperations(ledger.committed, { agent, limit: 1 });
    // What fails before it has read its mail would fail again at once, and for ever.
    const delayMs = last?.state === 'failed' ? afterFailureMs : 0;
    await scheduler.submit({ text: mailGoal, owner: 'system', agent, isOfMail: true, delayMs });
  }

  async #find(name: string): Promise<AgentRow> {
    const row = await findAgent(this.#deps.ledger.committed, name);
    if (row === undefined) throw unknownAgent(name);
    return row;
  }
}

// Acks about acks would have no end.
const servedKinds = ['message', 'request', 'response', 'event', 'stream'] as const;
const relayItself = '__orchestrator__';
const afterFailureMs = 60_000;
const mailGoal =
  'You have mail. Read it, do what it asks for as far as you may, and answer whoever sent it.';

/** What was submitted, or has begun, since its operations were cancelled; what runs is asked to. */
async function endAllOf(
  tx: Transaction,
  name: string,
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const error = new AosError('operation.cancelled', { message: `Agent ${name} was terminated` });
  for (const { id } of await openOperationsOf(tx, name)) {
    asked.push(...((await endTree(tx, id, { state: 'cancelled', error, actor: by, at })) ?? []));
  }
  return asked;
}

function unlessOver(failure: unknown): void {
  if (failure instanceof AosError && failure.code === 'operation.over') return;
  throw failure;
}

function terminatedError(name: string): AosError {
  return new AosError('tool.interrupted', {
    message: `Agent ${name} was terminated while the call was running`,
  });
}
