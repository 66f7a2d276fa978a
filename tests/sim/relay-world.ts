/** Everything that one simulated run consists of: machine, ledger, processes, and what was seen. */
import type { Ledger } from '../../src/ledger/ledger.ts';
import { SimulatedClock } from './clock.ts';
import { Dice } from './dice.ts';
import { SimulatedDisk } from './disk.ts';
import type { DiskFaults } from './gated-disk.ts';
import { SimulatedLedger } from './ledger.ts';
import { CountedEventLoop, type Death, Life } from './life.ts';
import type { HistoryEntry } from './message-history.ts';
import type { RelayPlan } from './relay-plan.ts';
import { openNode, type SimulatedNode } from './simulated-node.ts';
import { StaleLooks } from './stale-looks.ts';

/** What a test does to the ledger between it and the relay, to plant a bug. */
export type Plant = (ledger: Ledger) => Ledger;

export const home = '/home';
const longestDeadline = 600;

export class RelayWorld implements AsyncDisposable {
  readonly plan: RelayPlan;
  readonly dice: Dice;
  readonly clock = new SimulatedClock();
  readonly eventLoop = new CountedEventLoop();
  readonly disk: SimulatedDisk;
  readonly faults: DiskFaults = { full: false };
  readonly history: HistoryEntry[] = [];
  readonly log: string[] = [];
  /** The nodes that run; those that are starting or dead are not among them. */
  nodes: SimulatedNode[] = [];
  /** How often the machine was started. */
  boots = 1;
  /** Since the machine was started, a relay was. */
  isUp = true;
  readonly #plant: Plant;
  readonly #looks: StaleLooks;
  readonly #ledgers: SimulatedLedger[] = [];
  #lives: Life[] = [];
  #deathsLeft: number;
  #starts = 0;

  constructor(plan: RelayPlan, plant: Plant) {
    this.plan = plan;
    this.#plant = plant;
    this.#deathsLeft = plan.deaths;
    this.dice = new Dice(plan.seed + 0x5eed);
    this.#looks = new StaleLooks(this.clock, this.dice);
    this.disk = new SimulatedDisk({ seed: plan.seed, clock: this.clock });
  }

  get ledger(): SimulatedLedger {
    const ledger = this.#ledgers.at(-1);
    if (ledger === undefined) throw new Error('the world has not begun');
    return ledger;
  }

  /** One of the nodes that run; undefined when none does. */
  get node(): SimulatedNode | undefined {
    return this.dice.oneOf(this.nodes);
  }

  async begin(): Promise<void> {
    this.#ledgers.push(await SimulatedLedger.create(this.clock, undefined, this.eventLoop));
    await makeFolders(this);
  }

  note(line: string): void {
    this.log.push(`${String(Math.round(this.clock.monotonicMs())).padStart(7)} ${line}`);
  }

  saw(entry: HistoryEntry): void {
    this.history.push(entry);
    this.note(JSON.stringify(entry));
  }

  /** Lets that much time pass. */
  async pass(durationMs: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + durationMs;
    do await this.eventLoop.settled();
    while (this.clock.wakeNext(endMs));
  }

  /** Starts whatever does not run. Nobody waits for it: it may die on the way. */
  start(): void {
    if (this.#lives.length > 0) return;
    for (let place = 0; place < this.plan.nodes; place++) void this.#open(place, this.isUp);
  }

  async #open(place: number, sameBoot: boolean): Promise<void> {
    const life = this.#newLife();
    const start = ++this.#starts;
    this.note(`start ${start} sameBoot=${sameBoot}`);
    try {
      if (!this.ledger.hasPower) {
        const { platter } = this.ledger;
        this.#ledgers.push(await SimulatedLedger.create(this.clock, platter, this.eventLoop));
      }
      const ledger = this.#plant(this.#ledgerOf(place));
      const node = await openNode(this, { life, ledger, place, start, sameBoot });
      // It may have died between its last call and this line.
      if (life.isDead) return node.abandon();
      this.saw({ kind: 'started' });
      this.isUp = true;
      this.nodes.push(node);
    } catch (failure) {
      this.note(`start ${start} failed: ${String(failure)}`);
      life.die('kill');
    }
  }

  #ledgerOf(place: number): Ledger {
    return this.plan.nodes === 1 ? this.ledger : this.#looks.ledgerOf(place, this.ledger);
  }

  #newLife(): Life {
    const isMortal = this.#deathsLeft > 0 && this.dice.chance(70);
    const death: Death = this.dice.chance(40) ? 'power-cut' : 'kill';
    const { slowPercent } = this.plan;
    const life = new Life({
      ...{ clock: this.clock, dice: this.dice, slowPercent },
      deadline: isMortal ? { call: 1 + this.dice.below(longestDeadline), death } : undefined,
      onDeath: (how) => this.#died(how),
    });
    this.#lives.push(life);
    return life;
  }

  /** Ends what runs, from outside. */
  strike(death: Death): void {
    if (this.#deathsLeft > 0) for (const life of this.#lives) life.die(death);
  }

  #died(death: Death): void {
    this.#deathsLeft--;
    this.ledger.cut();
    for (const node of this.nodes) node.abandon();
    this.nodes = [];
    for (const life of this.#lives) life.isDead = true;
    this.#lives = [];
    if (death === 'kill') {
      this.saw({ kind: 'killed' });
      return;
    }
    this.boots++;
    this.isUp = false;
    this.disk.crash();
    this.disk.restart();
    this.saw({ kind: 'power-cut' });
  }

  /** From now on nothing goes wrong any more. */
  spare(): void {
    this.#deathsLeft = 0;
    this.faults.full = false;
    this.ledger.fate = 'works';
    for (const life of this.#lives) life.spare();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const life of this.#lives) life.isDead = true;
    for (const node of this.nodes) node.abandon();
    await this.eventLoop.settled();
    for (const ledger of this.#ledgers) {
      ledger.cut();
      await ledger[Symbol.asyncDispose]();
    }
  }
}

async function makeFolders({ disk, plan }: RelayWorld): Promise<void> {
  const folders = [home, `${home}/agents`, `${home}/run`, `${home}/archive`];
  for (const { name, ways } of plan.agents) {
    const own = `${home}/agents/${name}`;
    folders.push(own, `${own}/outbox`, `${own}/outbox/.pending`);
    if (ways !== 'broken') folders.push(`${own}/inbox`);
  }
  for (const folder of folders) await disk.makeFolder(folder);
  for (const { name, ways } of plan.agents) {
    if (ways === 'broken') disk.plantSymlink(`${home}/agents/${name}/inbox`);
  }
  for (const folder of ['/', ...folders]) await disk.syncFolder(folder);
}
