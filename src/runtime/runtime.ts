/**
 * The runtime: agents that live, stop, and come back. It holds the parts together; each of
 * them is a file of its own.
 *
 * T1. What a caller asks for (spawn, pause, resume, terminate) is in the ledger before it is
 *     answered, whatever the parts are doing.
 * T2. `recover` runs before anything is served: after it nothing shows `running` that does
 *     not run under a lease of this process.
 * T3. An agent is resumed together with the goal that it had begun, in one transaction: or
 *     another of its goals would begin first, and take the mail that is for that one.
 */

import { type CommandSpec, sandboxOf } from '../kernel/agent/agent.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { Bells } from '../kernel/turns.ts';
import { type AgentRow, childrenOf, everyAgent, findAgent, setPresence } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { recipientsWithPending } from '../ledger/messages/messages.ts';
import { freeLease } from '../ledger/operations/leases.ts';
import { openOperationsOf } from '../ledger/operations/operations.ts';
import type { RelayLog } from '../relay/deps.ts';
import { type TellerDeps, tellAll } from '../relay/tell.ts';
import { unknownAgent } from '../security/register.ts';
import type { ToolCalls } from '../tools/call.ts';
import { giveBack } from './budgets.ts';
import type { CommandBodies } from './command/command-bodies.ts';
import type { Followers } from './followers.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { mustTurnTo, type Why } from './life.ts';
import { MailGoals } from './mail-goals.ts';
import type { RunObserver, RunObservers } from './model/deps.ts';
import type { ModelRuns } from './model/model-runs.ts';
import { holdAgainIn, leaveModelAgents, recoverModelAgents } from './recover.ts';
import { Requests } from './requests.ts';
import type { Scheduler } from './scheduler.ts';
import { type SpawnDeps, type SpawnedHere, type SpawnOrder, spawn } from './spawn.ts';
import { type AskedToStop, endTree, type Goal, ignoreOver, putBack } from './submit.ts';

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
  /** Whether its program could be started now; throws why not. */
  checkProgram(spec: CommandSpec, wanted: WantedProgram): Promise<CommandSpec>;
  /** A new agent with a handle needs its socket before its program starts. */
  openDoor(name: string): Promise<void>;
  /** It was terminated, with all that it did. */
  onTerminated?(name: string): Promise<void>;
  /** Where a working folder really is; throws when the agent that asks may not work there. */
  folderFor(by: string, path: string): Promise<string>;
  /** What was held for it can go to it now. */
  wakeMail(name: string): void;
  readonly observers?: RunObservers | undefined;
  /** The prompt of a program, as the first message in its inbox. */
  sendPrompt(order: SpawnOrder, prompt: string): Promise<void>;
}

export interface WantedProgram {
  /** Of the agent, which may have had a program before. */
  readonly name: string;
  /** The principal that wants it. */
  readonly by: string;
}

const requestsBell = 'requests';
const tellBell = 'tell';
const tickMs = 5000;
const earlyMs = 100;

export class AgentRuntime implements AsyncDisposable {
  readonly #deps: RuntimeDeps;
  readonly #bells: Bells;
  readonly #requests: Requests;
  readonly #mailGoals: MailGoals;
  /** Bells that have rung since their listener looked. */
  readonly #rung = new Set<string>();

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
    this.#bells = new Bells(deps.clock);
    this.#mailGoals = new MailGoals({ ...deps, toTell: () => this.toTell() });
    this.#requests = new Requests({
      ...{ ledger: deps.ledger, clock: deps.clock, log: deps.log },
      spawn: (order) => this.spawn(order),
      terminate: (name, why) => this.terminate(name, why),
      toTell: () => this.toTell(),
      folderFor: (by, path) => deps.folderFor(by, path),
    });
  }

  get scheduler(): Scheduler {
    return this.#deps.scheduler;
  }

  /** From now on it follows every run. */
  observe(observer: RunObserver): void {
    this.#deps.observers?.add(observer);
  }

  get followers(): Followers {
    return this.#deps.followers;
  }

  /** Throws where the budget of a goal does not cover the first request of its agent. */
  async checkGoalBudget(agent: string, goal: Pick<Goal, 'text' | 'budget'>): Promise<void> {
    await this.#deps.runs.checkGoalBudget(agent, goal);
  }

  /** Resolves once it is there; a program also runs by then, or why not is thrown. */
  async spawn(given: SpawnOrder): Promise<SpawnedHere> {
    const { spec } = given;
    // Nothing is left of an order that cannot be carried out.
    const order =
      spec.body === 'command'
        ? { ...given, spec: await this.#deps.checkProgram(spec, given) }
        : given;
    if (order.spec.body === 'model') await this.#deps.runs.checkBudget(order, order.spec);
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
    const isWaiting = (await this.#deps.commands.start(order.name)) === 'waiting';
    const { pid } = await this.#earlyLook(order.name, order.spec);
    return { ...spawned, pid: pid ?? undefined, isWaiting };
  }

  /** A program that ends as soon as it begins was not started, whatever its shell says. */
  async #earlyLook(name: string, spec: CommandSpec): Promise<AgentRow> {
    await this.#deps.clock.sleep(earlyMs);
    const row = await this.#find(name);
    if (row.state !== 'failed') return row;
    const mayLack = sandboxOf(spec) === 'on' && spec.argv.length > 1;
    const shown = '; a script that is an argument has to be shown, by --cwd or --see';
    throw new AosError('program.not-started', {
      message: `Agent ${quote(name)} ended at once: ${row.reason ?? 'nobody knows why'}`,
      fix: `aos inspect ${name}, then aos spawn it anew${mayLack ? shown : ''}`,
    });
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
    }
    const { ledger, clock, leases, grants } = this.#deps;
    await ledger.transact(async (tx) => {
      await mustTurnTo(tx, name, { ...turn, from: ['pending', 'running'], at: clock.now() });
      await freeLease(tx, `agent:${name}`);
    });
    leases.forget(`agent:${name}`);
    if (agent.body === 'guest') grants.setPaused(`agent:${name}`, true);
  }

  async resume(name: string, { by }: Why): Promise<void> {
    const { ledger, leases, commands, scheduler, grants } = this.#deps;
    const agent = await this.#find(name);
    if (agent.body === 'command') return commands.resume(name, { by });
    const token = await ledger.transact((tx) => this.#resumeIn(tx, name, by));
    if (token !== undefined) leases.keep(`agent:${name}`, token);
    if (agent.body === 'guest') grants.setPaused(`agent:${name}`, false);
    this.toTell();
    scheduler.wake();
    // What came meanwhile.
    this.mailFor(name);
    if (agent.body === 'guest') this.#deps.wakeMail(name);
  }

  /** T3. Resolves to the token of its lease where the goal waits. */
  async #resumeIn(tx: Transaction, name: string, by: string): Promise<number | undefined> {
    const at = this.#deps.clock.now();
    await mustTurnTo(tx, name, { to: 'pending', from: ['paused'], actor: by, at });
    let token: number | undefined;
    for (const { id, state } of await openOperationsOf(tx, name)) {
      if (state === 'paused') await putBack(tx, id, { from: ['paused'], actor: by, at });
      if (state === 'waiting') token = await holdAgainIn(this.#deps, tx, name);
    }
    return token;
  }

  /** With all that it does, and all agents that it has spawned. */
  async terminate(name: string, why: Why): Promise<void> {
    const agent = await this.#find(name);
    const { by } = why;
    for (const child of (await this.#below(name)).reverse()) {
      await this.#terminateOne(child, { by, reason: `its parent ${child.parent} was terminated` });
    }
    await this.#terminateOne(agent, why);
  }

  /** All that it has spawned and they, each once, parents before their children. */
  async #below(name: string): Promise<AgentRow[]> {
    const { ledger } = this.#deps;
    const seen = new Set([name]);
    const found: AgentRow[] = [];
    for (const parent of seen) {
      for (const child of await childrenOf(ledger.committed, parent)) {
        const row = seen.has(child) ? undefined : await findAgent(ledger.committed, child);
        seen.add(child);
        if (row !== undefined && row.state !== 'terminated') found.push(row);
      }
    }
    return found;
  }

  async #terminateOne({ name, body }: AgentRow, why: Why): Promise<void> {
    const { ledger, clock, calls, commands, leases, scheduler } = this.#deps;
    const { by, reason } = why;
    const open = await openOperationsOf(ledger.committed, name);
    for (const { id } of open) await scheduler.cancel(id, why).catch(ignoreOver);
    calls.endOf(`agent:${name}`, terminatedError(name));
    for (const { id } of open) await this.#deps.runs.ended(id);
    if (body === 'command') {
      await commands.terminate(name, why);
      await ledger.transact((tx) => giveBack(tx, `agent:${name}`));
      await this.#deps.onTerminated?.(name);
    } else {
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
        await giveBack(tx, `agent:${name}`);
        return left;
      });
      leases.forget(`agent:${name}`);
      for (const { id, error } of asked) this.#deps.runs.stop(id, error);
    }
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
    if (agent === relayItself) this.#ring(requestsBell);
    if (!this.#deps.modelAgents.has(agent)) return;
    this.#deps.runs.mailFor(agent);
    this.serveMailOf(agent);
  }

  /** One that has nothing to do and has mail gets something to do. */
  serveMailOf(agent: string): void {
    this.#mailGoals.serve(agent);
  }

  toTell(): void {
    this.#deps.observers?.mayHaveEnded();
    this.#ring(tellBell);
  }

  // T2
  async recover(): Promise<void> {
    const { commands, runs } = this.#deps;
    const waiting = await recoverModelAgents(this.#deps);
    for (const operation of waiting) runs.awaitAgain(operation);
    await commands.recover();
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, scheduler, runs } = this.#deps;
    // What runs is stopped with the signal, and only then is the scheduler done.
    signal.addEventListener('abort', () => void runs[Symbol.asyncDispose](), { once: true });
    await Promise.all([
      leases.run(signal),
      scheduler.run(signal),
      this.#repeat(tellBell, signal, () => this.#tell()),
      this.#repeat(requestsBell, signal, () => this.#requests.take()).then(() =>
        this.#requests.settled(),
      ),
      this.#repeat('tick', signal, () => this.#tick()),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.runs[Symbol.asyncDispose]();
    await this.#deps.commands[Symbol.asyncDispose]();
    await leaveModelAgents(this.#deps).catch((failure: unknown) => {
      // Where nothing can be written any more, the next start finds it as after a crash.
      this.#deps.log.error({ error: toReport(failure) }, 'what ran could not be put back');
    });
  }

  #tell(): Promise<void> {
    // One that waits to hear of its children goes on also when nothing could be sent.
    const told = (to: string) => this.#deps.runs.mailFor(to.replace(/^agent:/, ''));
    return tellAll({ ...this.#deps, told });
  }

  /** The net under the hints. */
  async #tick(): Promise<void> {
    await this.#deps.commands.tick();
    for (const name of await recipientsWithPending(this.#deps.ledger.committed)) this.mailFor(name);
  }

  #ring(bell: string): void {
    this.#rung.add(bell);
    this.#bells.ring(bell);
  }

  /** When its bell rings, also while it works; and now and then. */
  async #repeat(bell: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      this.#rung.delete(bell);
      try {
        await work();
      } catch (failure) {
        this.#deps.log.error(
          { error: toReport(failure), part: bell },
          'a part of the runtime failed',
        );
      }
      // Being stopped is the way this ends.
      if (!this.#rung.has(bell)) await this.#bells.wait(bell, tickMs, signal).catch(() => {});
    }
  }

  async #find(name: string): Promise<AgentRow> {
    const row = await findAgent(this.#deps.ledger.committed, name);
    if (row === undefined) throw unknownAgent(name);
    return row;
  }
}

const relayItself = '__orchestrator__';

/** What was submitted, or has begun, since its operations were cancelled; what runs is asked to. */
async function endAllOf(
  tx: Transaction,
  name: string,
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<readonly AskedToStop[]> {
  const asked: AskedToStop[] = [];
  const error = new AosError('operation.cancelled', { message: `Agent ${name} was terminated` });
  for (const { id } of await openOperationsOf(tx, name)) {
    asked.push(...((await endTree(tx, id, { state: 'cancelled', error, actor: by, at })) ?? []));
  }
  return asked;
}

// Not `tool.interrupted`, which leaves a call to the next start.
function terminatedError(name: string): AosError {
  return new AosError('agent.wrong-state', {
    message: `Agent ${name} was terminated while the call was running`,
  });
}
