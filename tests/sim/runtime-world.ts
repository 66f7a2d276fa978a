/** Everything that one simulated run consists of: the ledger, the processes, and what was seen. */
import type { Ledger } from '../../src/ledger/ledger.ts';
import { SimulatedClock } from './clock.ts';
import { Dice } from './dice.ts';
import { SimulatedLedger } from './ledger.ts';
import { CountedEventLoop, type Death, Life } from './life.ts';
import type { SimulatedEffect } from './runtime-models.ts';
import { openRuntimeNode, type RuntimeNode } from './runtime-node.ts';
import type { RuntimePlan } from './runtime-plan.ts';

/** What a test does to the ledger between it and the runtime, to plant a bug. */
export type RuntimePlant = (ledger: Ledger) => Ledger;

const longestDeadline = 2500;

export class RuntimeWorld implements AsyncDisposable {
  readonly plan: RuntimePlan;
  readonly dice: Dice;
  readonly clock = new SimulatedClock();
  readonly eventLoop = new CountedEventLoop();
  /** Outside the ledger: what was done stays done. */
  readonly effects: SimulatedEffect[] = [];
  /** By key of the call: how often a human has said that it is to be done again. */
  readonly redone = new Map<string, number>();
  readonly findings = new Set<string>();
  readonly log: string[] = [];
  /** The processes that work; those that are starting or dead are not among them. */
  nodes: RuntimeNode[] = [];
  /** Nothing goes wrong any more, and models come to an end. */
  isCalm = false;
  /** A process died or stood still while another one works, which does not take all of it up. */
  hasOrphans = false;
  readonly #plant: RuntimePlant;
  readonly #ledgers: SimulatedLedger[] = [];
  readonly #lives = new Set<Life>();
  readonly #sharedModelAgents = new Set<string>();
  #deathsLeft: number;
  #starts = 0;
  #counted = 0;

  constructor(plan: RuntimePlan, plant: RuntimePlant) {
    this.plan = plan;
    this.#plant = plant;
    this.#deathsLeft = plan.deaths;
    this.dice = new Dice(plan.seed + 0xa6e27);
  }

  get ledger(): SimulatedLedger {
    const ledger = this.#ledgers.at(-1);
    if (ledger === undefined) throw new Error('the world has not begun');
    return ledger;
  }

  /** One of those that work and do not stand still; undefined when there is none. */
  get node(): RuntimeNode | undefined {
    return this.dice.oneOf(this.nodes.filter(({ ice }) => !ice.isFrozen));
  }

  async begin(): Promise<void> {
    this.#ledgers.push(await SimulatedLedger.create(this.clock, undefined, this.eventLoop));
  }

  note(line: string): void {
    this.log.push(`${String(Math.round(this.clock.monotonicMs())).padStart(7)} ${line}`);
  }

  found(finding: string): void {
    if (this.findings.has(finding)) return;
    this.findings.add(finding);
    this.note(`FOUND ${finding}`);
  }

  /** A number that nobody else gets. */
  count(): number {
    return ++this.#counted;
  }

  /** Two processes that share a ledger tell each other who takes mail in turns. */
  modelAgentsOf(names: readonly string[]): Set<string> {
    if (this.plan.nodes === 1) return new Set(names);
    for (const name of names) this.#sharedModelAgents.add(name);
    return this.#sharedModelAgents;
  }

  /** Processes that share a ledger tell each other to look. */
  mailFor(name: string): void {
    for (const { runtime } of this.nodes) runtime.mailFor(name);
  }

  /** Lets that much time pass. */
  async pass(durationMs: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + durationMs;
    do await this.eventLoop.settled();
    while (this.clock.wakeNext(endMs));
  }

  /** Lets time pass until this has come to an end. */
  async finish(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const over = work.catch(() => {}).finally(() => (isDone = true));
    for (let tries = 0; !isDone && tries < 2000; tries++) await this.pass(tries === 0 ? 0 : 20);
    if (!isDone) throw new Error(`seed ${this.plan.seed}: somebody is never answered`);
    await over;
  }

  /** Starts one more process. Nobody waits for it: it may die on the way. */
  start(): void {
    const life = this.#newLife();
    const start = ++this.#starts;
    this.note(`node ${start} starts`);
    void this.#open(life, start).catch((failure: unknown) => {
      this.note(`node ${start} does not start: ${String(failure)}`);
      life.die('kill');
    });
  }

  /** As many as there are to be. */
  startMissing(): void {
    const frozen = this.nodes.filter(({ ice }) => ice.isFrozen).length;
    if (frozen > 0) this.hasOrphans = true;
    for (let left = this.plan.nodes - (this.#lives.size - frozen); left > 0; left--) this.start();
  }

  async #open(life: Life, start: number): Promise<void> {
    await this.#powerUp();
    // The power may have gone once more meanwhile.
    if (life.isDead) return;
    const node = await openRuntimeNode(this, { life, start, ledger: this.#plant(this.ledger) });
    if (life.isDead) return;
    this.note(`${node.owner} works`);
    this.nodes.push(node);
    if (this.plan.nodes === 1) await this.#checkNoLie(node);
    void node.runtime.run(new AbortController().signal);
  }

  /** Of two that start at once, one opens the ledger for both. */
  async #powerUp(): Promise<void> {
    const last = this.ledger;
    if (last.hasPower) return;
    const next = await SimulatedLedger.create(this.clock, last.platter, this.eventLoop);
    if (this.ledger === last) this.#ledgers.push(next);
    else await next[Symbol.asyncDispose]();
  }

  /** When a process has taken up what others left, nothing shows `running` for one that is gone. */
  async #checkNoLie({ owner }: RuntimeNode): Promise<void> {
    const running = await this.ledger.committed.all<{ name: string; holder: string | null }>(
      `select a.name, l.owner as holder from agents a
         left join leases l on l.subject = 'agent:' || a.name
       where a.state = 'running'`,
    );
    const here = new Set<string | null>(this.nodes.map((node) => node.owner));
    for (const { name, holder } of running) {
      if (here.has(holder)) continue;
      this.found(`lie: ${name} is running under ${holder} after ${owner} has started`);
    }
  }

  #newLife(): Life {
    const isMortal = this.#deathsLeft > 0 && this.dice.chance(70);
    const death: Death = this.dice.chance(30) ? 'power-cut' : 'kill';
    const life: Life = new Life({
      ...{ clock: this.clock, dice: this.dice, slowPercent: this.plan.slowPercent },
      deadline: isMortal ? { call: 1 + this.dice.below(longestDeadline), death } : undefined,
      onDeath: (how) => this.#died(life, how),
    });
    this.#lives.add(life);
    return life;
  }

  /** Ends one process, or all of them, from outside. */
  strike(death: Death): void {
    if (this.#deathsLeft > 0) this.dice.oneOf([...this.#lives])?.die(death);
  }

  #died(life: Life, death: Death): void {
    this.#deathsLeft--;
    this.note(`${death} of ${this.nodes.find((node) => node.life === life)?.owner ?? 'a start'}`);
    this.#remove(life);
    if (death === 'kill' && this.#lives.size > 0) {
      this.hasOrphans = true;
      return;
    }
    this.ledger.cut();
    for (const other of [...this.#lives]) {
      other.isDead = true;
      this.#remove(other);
    }
  }

  #remove(life: Life): void {
    this.#lives.delete(life);
    this.nodes = this.nodes.filter((node) => node.life !== life);
  }

  /** It stands still, and another one takes its place. */
  freeze(): void {
    const node = this.node;
    if (node === undefined) return;
    this.note(`${node.owner} stands still`);
    node.ice.freeze();
  }

  thaw(): void {
    for (const { owner, ice } of this.nodes) {
      if (ice.isFrozen) this.note(`${owner} goes on`);
      ice.thaw();
    }
  }

  /** From now on nothing goes wrong any more. */
  spare(): void {
    this.#deathsLeft = 0;
    this.ledger.fate = 'works';
    for (const life of this.#lives) life.spare();
  }

  /** Ends all processes; what they worked on is for the next to take up. */
  endAll(): void {
    for (const life of [...this.#lives]) {
      life.isDead = true;
      this.#remove(life);
    }
    this.ledger.cut();
    this.hasOrphans = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endAll();
    await this.eventLoop.settled();
    for (const ledger of this.#ledgers) await ledger[Symbol.asyncDispose]();
  }
}
