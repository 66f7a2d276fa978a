/**
 * One seed, one run: agents, a relay, a disk and a ledger, of which everything can go wrong
 * at any moment. The same seed gives the same run. At its end everything works again, and
 * what was seen is held against what the ledger says.
 */
import { readEndState } from './message-end-state.ts';
import { type EndState, historyFindings } from './message-history.ts';
import { planOf, type RelayPlan } from './relay-plan.ts';
import { type Plant, RelayWorld } from './relay-world.ts';
import { SimulatedAgent } from './simulated-agents.ts';
import { SimulatedSenders } from './simulated-senders.ts';

export interface SimulatedRun {
  readonly findings: readonly string[];
  readonly log: readonly string[];
}

const asItIs: Plant = (ledger) => ledger;

export async function simulateRelay(seed: number, plant: Plant = asItIs): Promise<SimulatedRun> {
  const plan = planOf(seed);
  await using world = new RelayWorld(plan, plant);
  await world.begin();
  const senders = new SimulatedSenders(world);
  const agents = plan.agents.map((agent) => new SimulatedAgent(world, senders, agent));
  const owner = new SimulatedAgent(world, senders, { name: 'owner', ways: 'calls' });
  const cast: Cast = { world, senders, agents, owner };
  world.start();
  await untilRunning(cast);
  await prepare(cast);
  for (let step = 0; step < plan.steps; step++) {
    await world.pass(world.dice.pick([0, 0, 1, 5, 30, 200, 1500]));
    act(cast);
  }
  await quieten(cast);
  const end = await readEndState(world.ledger.committed);
  return { findings: judge(cast, end), log: world.log };
}

interface Cast {
  readonly world: RelayWorld;
  readonly senders: SimulatedSenders;
  readonly agents: readonly SimulatedAgent[];
  readonly owner: SimulatedAgent;
}

const mostStarts = 1000;

/** As long as starts fail, or die, there are others. */
async function untilRunning({ world }: Cast): Promise<void> {
  for (let tries = 0; world.nodes.length < world.plan.nodes; tries++) {
    if (tries === mostStarts) throw new Error(`seed ${world.plan.seed}: it never starts`);
    world.start();
    await world.pass(50);
  }
}

async function prepare({ world, agents }: Cast): Promise<void> {
  for (const { name } of agents) {
    if (world.dice.chance(50)) join(world, name);
  }
  await world.pass(10);
}

function join({ node }: RelayWorld, name: string): void {
  // Whether it worked is seen by who gets what is sent there.
  node?.relay.groups.join('#talk', name, 'owner').catch(() => {});
}

/** One thing happens. Nobody waits for it. */
function act(cast: Cast): void {
  const { world, senders, agents, owner } = cast;
  const { dice } = world;
  const what = dice.below(100);
  if (what < 55) void senders.sendAny();
  else if (what < 82) void (dice.oneOf(agents) ?? owner).act();
  else if (what < 84) void owner.pull(3);
  else if (what < 86) setLead(cast);
  else if (what < 90) void observe(world);
  else if (what < 92) world.strike(dice.chance(40) ? 'power-cut' : 'kill');
  else if (world.plan.faults) goWrong(world);
  if (world.nodes.length > 1) wakeAll(cast);
  // Down for a while, in some runs: agents go on meanwhile.
  if (dice.chance(40)) world.start();
}

/** Nodes that share a ledger tell each other to look. */
function wakeAll({ world, agents }: Cast): void {
  const agent = world.dice.oneOf(agents);
  if (agent !== undefined) for (const { relay } of world.nodes) relay.wake(agent.name);
}

function goWrong(world: RelayWorld): void {
  const { dice, faults, clock } = world;
  const what = dice.below(4);
  if (what === 0) faults.full = !faults.full;
  else if (what === 1 && world.nodes.length > 0) world.ledger.fate = 'fails';
  else if (what === 2) clock.jump(dice.pick([-3_600_000, -5000, 700, 5000]));
  else faults.full = false;
}

function setLead({ world, agents }: Cast): void {
  const agent = world.dice.oneOf(agents);
  if (agent === undefined) return;
  world.node?.relay.groups.setLead(agent.name, 'owner').catch(() => {});
}

/** Puts on record what the ledger says now. */
async function observe(world: RelayWorld): Promise<void> {
  const rows = await world.ledger.committed.all<{
    message_id: string;
    recipient: string;
    state: string;
    ended_at: number | null;
  }>(
    `select m.message_id, d.recipient, d.state, d.ended_at from deliveries d
     join messages m on m.id = d.message order by d.id`,
  );
  for (const { message_id: id, recipient, state, ended_at } of rows) {
    world.history.push({ kind: 'observed', id, recipient, state, ended: ended_at !== null });
  }
}

const roundMs = 5000;
// Longer than an agent takes to answer.
const leastRounds = 4;
// Two lives of a message, for what is told when the first has expired; and what is left.
const mostRounds = 60;

/** Faults end, agents read what comes, until nothing is on its way any more. */
async function quieten(cast: Cast): Promise<void> {
  const { world, agents, owner } = cast;
  world.note('no more faults');
  world.spare();
  await untilRunning(cast);
  world.spare();
  for (let round = 0; round < mostRounds; round++) {
    for (const agent of agents) await finish(world, agent.detach());
    await world.pass(roundMs);
    for (const agent of [...agents, owner]) await finish(world, agent.takeAll());
    if (round >= leastRounds && (await isQuiet(world))) break;
  }
  await world.pass(roundMs);
}

/** What calls the relay needs the time to pass. */
async function finish(world: RelayWorld, work: Promise<void>): Promise<void> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  for (let tries = 0; !isDone && tries < 1000; tries++) await world.pass(tries === 0 ? 0 : 10);
  if (!isDone) throw new Error('somebody who reads is never answered');
}

async function isQuiet({ ledger }: RelayWorld): Promise<boolean> {
  const row = await ledger.committed.get<{ open: number }>(
    'select count(*) as open from deliveries where ended_at is null',
  );
  return row?.open === 0;
}

function judge({ world }: Cast, end: EndState): string[] {
  const { plan, history } = world;
  return historyFindings(history, end, {
    reachable: namesOf(plan, ['files', 'calls']),
    fileReaders: namesOf(plan, ['files']),
    order: plan.nodes === 2 ? 'free' : 'kept',
  });
}

function namesOf({ agents }: RelayPlan, ways: readonly string[]): string[] {
  return agents.filter((agent) => ways.includes(agent.ways)).map(({ name }) => name);
}
