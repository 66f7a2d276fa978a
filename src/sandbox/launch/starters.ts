/** Shells that start launchers, kept for the next one: each serves one sandbox at a time. */
import { newId } from '../../kernel/new-id.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import type { Fifos } from '../box/fifos.ts';
import type { LimitGroup, LimitGroups } from '../watch/limit-groups.ts';
import { Starter } from './starter.ts';

export interface StartersDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: { error(facts: object, words: string): void };
  readonly fifos: Fifos;
  readonly groups: LimitGroups | undefined;
}

const mostIdle = 4;

// The shell, the launcher, and the first process inside count in the group as well.
const ownProcesses = 3;

export function makeGroup(
  { clock, random }: Pick<StartersDeps, 'clock' | 'random'>,
  groups: LimitGroups | undefined,
  limits: SandboxLimits,
): LimitGroup | undefined {
  const processes = limits.processes + ownProcesses;
  return groups?.make(newId(clock.now(), random), { ...limits, processes });
}

// Itself, and the few of a launcher that has just ended.
const fewProcesses = 6;
const clearMs = 2000;
const lookEveryMs = 5;

function isClear({ group, isOver }: Starter): boolean {
  return isOver || group === undefined || group.counted() <= fewProcesses;
}

export class Starters implements AsyncDisposable {
  readonly #deps: StartersDeps;
  readonly #all = new Set<Starter>();
  readonly #idle: { readonly starter: Starter; readonly key: string }[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: StartersDeps) {
    this.#deps = deps;
  }

  async take(limits: SandboxLimits): Promise<Starter> {
    const key = JSON.stringify(limits);
    for (;;) {
      const index = this.#idle.findIndex((each) => each.key === key);
      const [found] = index === -1 ? [] : this.#idle.splice(index, 1);
      if (found === undefined) return this.#make(limits);
      if (found.starter.isOver) continue;
      // The next one is made while this one works.
      if (!this.#idle.some((each) => each.key === key)) this.#inBackground(this.#spare(limits));
      return found.starter;
    }
  }

  /**
   * For the next one, once nothing of the last counts against its limits any more: the system
   * goes on counting for a moment what has ended.
   */
  giveBack(starter: Starter, limits: SandboxLimits): void {
    if (isClear(starter)) this.#keep(starter, limits);
    else this.#inBackground(this.#keepWhenClear(starter, limits));
  }

  async #keepWhenClear(starter: Starter, limits: SandboxLimits): Promise<void> {
    const { clock } = this.#deps;
    const lateMs = clock.monotonicMs() + clearMs;
    while (!isClear(starter) && !this.#isClosed && clock.monotonicMs() < lateMs) {
      await clock.sleep(lookEveryMs);
    }
    if (isClear(starter)) this.#keep(starter, limits);
    else await starter.kill();
  }

  /** One that was ended, or in whose group the system has ended somebody, is not used again. */
  #keep(starter: Starter, limits: SandboxLimits): void {
    const isWorn = starter.isOver || (starter.group?.met().memoryKills ?? 0) > 0;
    const isWanted = !isWorn && !this.#isClosed && this.#idle.length < mostIdle;
    if (isWanted) this.#idle.push({ starter, key: JSON.stringify(limits) });
    else this.#inBackground(starter.kill());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#underWay);
    await Promise.all([...this.#all].map((starter) => starter.kill()));
  }

  async #spare(limits: SandboxLimits): Promise<void> {
    this.giveBack(await this.#make(limits), limits);
  }

  async #make(limits: SandboxLimits): Promise<Starter> {
    const { groups, fifos } = this.#deps;
    const group = makeGroup(this.#deps, groups, limits);
    try {
      const starter = await Starter.start(fifos, group);
      this.#all.add(starter);
      starter.ended.then(() => this.#all.delete(starter));
      return starter;
    } catch (failure) {
      group?.remove();
      throw failure;
    }
  }

  #inBackground(work: Promise<void>): void {
    const settled = work
      .catch((failure: unknown) => {
        this.#deps.log.error({ err: failure }, 'a shell that starts sandboxes was not made');
      })
      .finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }
}
