/**
 * The supervisor of the agents that run as programs.
 *
 * C1. Whatever is done to one agent is done in turn: its start, its end, pausing, resuming,
 *     terminating. So each finds a state that no other call is just leaving.
 * C2. `running` and `paused` with a program are under a lease: it is taken before the row says
 *     so and given back after the row says otherwise.
 * C3. No program is left whose agent's row does not name it: neither what a start that no caller
 *     finished has left (begin-program.ts) nor what a program that ended leaves behind.
 * C4. `paused` without a program is an agent that was paused before it had one, or lost it
 *     together with the daemon; it is started when it is resumed.
 */

import type { RestartDecision } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import type { ProgramEnd } from '../../kernel/programs.ts';
import type { SandboxLimit } from '../../kernel/sandbox.ts';
import { OneAtATime } from '../../kernel/turns.ts';
import { agentInnards, findAgent, setPresence, setProgram } from '../../ledger/agents.ts';
import { unknownAgent } from '../../security/register.ts';
import { mustTurnTo, turnTo, type Why } from '../life.ts';
import { beginProgram, leaseOf, specOfPending, tellNotStarted } from './begin-program.ts';
import type { CommandDeps } from './deps.ts';
import { endProgram, escalate } from './end-program.ts';
import { recoverPrograms } from './recover-programs.ts';
import { StartQueue } from './start-queue.ts';
import {
  type LiveProgram,
  limitOf,
  lookAtProgram,
  placesOf,
  readCommandSpec,
  stopProgram,
} from './stored-program.ts';

const usualGraceMs = 5000;
const tryAgainMs = 2000;
const ours: Why = { by: 'system' };

export class CommandBodies implements AsyncDisposable {
  readonly #deps: CommandDeps;
  readonly #turns = new OneAtATime();
  readonly #live = new Map<string, LiveProgram>();
  readonly #queue: StartQueue;
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #isTicking = false;

  constructor(deps: CommandDeps) {
    this.#deps = deps;
    const start = (name: string) => this.#inBackground(this.#startByItself(name));
    this.#queue = new StartQueue({ clock: deps.clock, slots: deps.slots, start });
  }

  /**
   * Starts the program of an agent that is pending, or lets it wait for a slot. When it
   * cannot be started the agent is failed with the reason, and this throws it.
   */
  async start(name: string): Promise<'running' | 'waiting'> {
    this.#closing.signal.throwIfAborted();
    if (this.#queue.holds(name)) return 'running';
    if (this.#queue.isFull) {
      await this.#checkStart(name);
      this.#queue.cancel(name);
      this.#queue.wait(name);
      return 'waiting';
    }
    this.#queue.seat(name);
    await this.#startSeated(name);
    return 'running';
  }

  /** Of one that has to wait: what is wrong with it is told now. */
  async #checkStart(name: string): Promise<void> {
    const { programs, home, environmentOf, sandboxes } = this.#deps;
    const spec = await specOfPending(this.#deps, name);
    const cwd = spec.cwd ?? placesOf(home, name).workspace;
    try {
      if ((await sandboxes.orderFor(name, spec)) !== undefined) return;
      programs.check({ argv: spec.argv, cwd, env: await environmentOf(name, spec) });
    } catch (failure) {
      await tellNotStarted(this.#deps, name, failure);
      throw failure;
    }
  }

  /** All of its processes stop where they are. */
  pause(name: string, { by, reason }: Why = ours): Promise<void> {
    return this.#turns.run(name, async () => {
      const live = this.#live.get(name);
      const from = live === undefined ? (['pending'] as const) : (['running'] as const);
      const turn = { to: 'paused' as const, from, reason, actor: by, at: this.#deps.clock.now() };
      // The row first: after a crash, the daemon that adopts it freezes it again.
      await this.#deps.ledger.transact((tx) => mustTurnTo(tx, name, turn));
      this.#queue.cancel(name);
      if (live === undefined) return;
      live.mode = 'paused';
      await live.program.freeze();
    });
  }

  async resume(name: string, { by, reason }: Why = ours): Promise<void> {
    const isLive = await this.#turns.run(name, async () => {
      const live = this.#live.get(name);
      const to = live === undefined ? ('pending' as const) : ('running' as const);
      const turn = { to, from: ['paused'] as const, reason, actor: by };
      // Thawed first: after a crash in between, the row still says paused and it is frozen again.
      if (live?.mode === 'paused') await live.program.thaw();
      const at = this.#deps.clock.now();
      await this.#deps.ledger.transact((tx) => mustTurnTo(tx, name, { ...turn, at }));
      if (live !== undefined) live.mode = 'running';
      return live !== undefined;
    });
    // C4
    if (!isLive) await this.start(name);
  }

  /** Ends it for good, whatever it does, with all that it has started. */
  terminate(name: string, { by, reason }: Why = ours): Promise<void> {
    this.#queue.cancel(name);
    return this.#turns.run(name, async () => {
      const { ledger, clock, graceMs = usualGraceMs } = this.#deps;
      const live = this.#live.get(name);
      if (live !== undefined) await stopProgram(clock, live, graceMs);
      await ledger.transact(async (tx) => {
        if ((await findAgent(tx, name)) === undefined) throw unknownAgent(name);
        await setProgram(tx, name, { program: null, pid: null });
        await turnTo(tx, name, { to: 'terminated', reason, actor: by, at: clock.now() });
        await setPresence(tx, name, 'terminated');
      });
      // It may have come to wait again while it was still being started.
      this.#queue.cancel(name);
      if (live !== undefined) await this.#letGo(name, live);
    });
  }

  /** To be called every few seconds: who stands still without being paused, and long logs. */
  async tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      for (const [name, live] of this.#live) await this.#look(name, live);
    } finally {
      this.#isTicking = false;
    }
  }

  /** Once, before anything else: what an earlier daemon has left. */
  async recover(): Promise<void> {
    const { waiting } = await recoverPrograms(this.#deps, {
      adopted: (name, live) => {
        this.#queue.seat(name);
        this.#watch(name, live);
      },
      ended: (name, decision) => this.#afterEnd(name, decision),
    });
    this.#queue.wait(...waiting);
    await Promise.all(this.#underWay);
  }

  /** The daemon stops, and its programs with it. Those that may are started with the next one. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closed());
    this.#queue.close();
    await Promise.all(this.#queue.seated.map((name) => this.#stopWithDaemon(name)));
    await Promise.all(this.#underWay);
  }

  async #startSeated(name: string): Promise<void> {
    try {
      await this.#turns.run(name, async () => {
        this.#watch(name, { ...(await beginProgram(this.#deps, name)), mode: 'running' });
      });
    } catch (failure) {
      this.#queue.leave(name);
      throw failure;
    }
  }

  /** A start that no caller waits for: the parent and the owner hear of its failure. */
  async #startByItself(name: string): Promise<void> {
    const { ledger, clock, log, onEnd } = this.#deps;
    try {
      await this.#startSeated(name);
    } catch (failure) {
      // Paused or terminated while it waited.
      if (failure instanceof AosError && failure.code === 'agent.wrong-state') return;
      log.error({ err: failure, agent: name }, 'an agent could not be started');
      const agent = await findAgent(ledger.committed, name);
      // Not its own fault: the disk is full, or another process still holds its lease.
      if (agent?.state === 'pending') this.#queue.rest(name, tryAgainMs);
      if (agent?.state !== 'failed') return;
      const id = String(clock.now());
      await escalate(this.#deps, name, { id, reason: agent.reason ?? 'could not be started' });
      onEnd?.(name);
    }
  }

  #watch(name: string, live: LiveProgram): void {
    this.#live.set(name, live);
    const { id, pid, sandboxed } = live.program.record;
    if (sandboxed === true) {
      const stop = (by: SandboxLimit): void => this.#stopFor(name, live, by);
      live.held = this.#deps.sandboxes.hold(name, { id, pid, stop });
    }
    const ended = live.program.ended.then((end) =>
      this.#turns.run(name, () => this.#whenEnded(name, live, end)),
    );
    // Not under way: it takes as long as the program runs.
    void ended.catch((failure: unknown) => {
      this.#deps.log.error({ err: failure, agent: name }, 'the end of a program was not kept');
    });
  }

  /** C1 is no matter: whatever is done to it meanwhile, it comes to its end. */
  #stopFor(name: string, live: LiveProgram, by: SandboxLimit): void {
    live.stoppedBy ??= by;
    live.program.kill().catch((failure: unknown) => {
      this.#deps.log.error({ err: failure, agent: name }, 'a program passed a limit and goes on');
    });
  }

  async #whenEnded(name: string, live: LiveProgram, end: ProgramEnd): Promise<void> {
    // C1: it was stopped on purpose, by the call before.
    if (this.#live.get(name) !== live) return;
    const { clock, log } = this.#deps;
    const ranMs = clock.monotonicMs() - live.sinceMs;
    const stoppedBy = limitOf(live, end);
    try {
      // C3
      await live.program.kill();
    } catch (failure) {
      log.error({ err: failure, agent: name }, 'a program left something that does not end');
    }
    const { id } = live.program.record;
    const ended = { id, end, ranMs, logFrom: live.logFrom, stoppedBy };
    const decision = await this.#untilKept(name, () => endProgram(this.#deps, name, ended));
    await this.#letGo(name, live);
    if (decision !== undefined) this.#afterEnd(name, decision);
  }

  /** A full disk must not make a program that has ended look as if it ran. */
  async #untilKept<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work();
      } catch (failure) {
        this.#deps.log.error({ err: failure, agent: name }, 'the end of a program was not kept');
        if (this.#closing.signal.aborted) return undefined;
        // Closing ends the wait, and one more try is made.
        await this.#deps.clock.sleep(tryAgainMs, this.#closing.signal).catch(() => {});
      }
    }
  }

  /** C2, after the row says that it does not run. */
  async #letGo(name: string, { program, held, network }: LiveProgram): Promise<void> {
    this.#live.delete(name);
    try {
      held?.[Symbol.dispose]();
      await network?.[Symbol.asyncDispose]();
      this.#deps.logs.forget(program.record);
      await this.#deps.leases.release(leaseOf(name));
    } catch (failure) {
      this.#deps.log.error({ err: failure, agent: name }, 'what a program held was not given back');
    }
    this.#queue.leave(name);
    this.#deps.onEnd?.(name);
  }

  #afterEnd(name: string, decision: RestartDecision): void {
    if (decision.kind === 'restart') this.#queue.rest(name, decision.afterMs);
  }

  async #look(name: string, live: LiveProgram): Promise<void> {
    const { logs, log, home } = this.#deps;
    try {
      await this.#turns.run(name, async () => {
        if (this.#live.get(name) === live) await lookAtProgram(this.#deps, name, live);
      });
      await logs.rotate(placesOf(home, name).log);
    } catch (failure) {
      log.error({ err: failure, agent: name }, 'a program could not be looked after');
    }
  }

  async #stopWithDaemon(name: string): Promise<void> {
    const { ledger, clock, log, graceMs = usualGraceMs } = this.#deps;
    await this.#turns.run(name, async () => {
      const live = this.#live.get(name);
      if (live === undefined) return;
      try {
        await stopProgram(clock, live, graceMs);
        await ledger.transact(async (tx) => {
          const spec = readCommandSpec(name, (await agentInnards(tx, name))?.spec ?? null);
          const turn = { actor: 'system', at: clock.now() };
          const lost = { ...turn, to: 'failed' as const, reason: lostWithDaemon };
          const later = { ...turn, to: 'pending' as const, reason: 'stopped with the daemon' };
          await setProgram(tx, name, { program: null, pid: null });
          if (spec.restart === 'never') await turnTo(tx, name, lost);
          // C4: one that is paused stays so.
          else await turnTo(tx, name, { ...later, from: ['running'] });
        });
      } catch (failure) {
        // The next daemon finds its row as it was, and what became of it.
        log.error({ err: failure, agent: name }, 'a program was not stopped as it should be');
      }
      await this.#letGo(name, live);
    });
  }

  #inBackground(work: Promise<void>): void {
    const settled = work
      .catch((failure: unknown) => {
        this.#deps.log.error({ err: failure }, 'an agent could not be started');
      })
      .finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }
}

const lostWithDaemon = 'the daemon was stopped while it ran';

function closed(): AosError {
  return new AosError('agent.not-there', {
    message: 'The daemon is stopping, and starts no program any more',
    fix: 'aos up --detach',
  });
}
