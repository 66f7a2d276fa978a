/**
 * One seed, one run: agents on models that do what the dice say, processes that die, stand
 * still and come back, and humans who submit, cancel, pause and answer. The same seed gives
 * the same run. At its end nothing goes wrong any more, and everything has to come to an end.
 */
import { wholeMessage } from '../support/temporary-relay.ts';
import { runtimeFindings } from './runtime-checker.ts';
import type { RuntimeNode } from './runtime-node.ts';
import { limitsOf, type PlannedRunner, planOf } from './runtime-plan.ts';
import { type RuntimePlant, RuntimeWorld } from './runtime-world.ts';

export interface SimulatedRuntimeRun {
  readonly findings: readonly string[];
  readonly log: readonly string[];
  /** How many operations there were. */
  readonly operations: number;
}

const asItIs: RuntimePlant = (ledger) => ledger;

export async function simulateRuntime(
  seed: number,
  plant: RuntimePlant = asItIs,
): Promise<SimulatedRuntimeRun> {
  const plan = planOf(seed);
  await using world = new RuntimeWorld(plan, plant);
  await world.begin();
  await prepare(world);
  for (let step = 0; step < plan.steps; step++) {
    await world.pass(world.dice.pick([0, 1, 5, 30, 200, 1500, 6000]));
    act(world);
  }
  await quieten(world);
  for (const finding of await runtimeFindings(world)) world.found(finding);
  await noteJournals(world);
  const operations = await world.ledger.committed.all('select id from operations');
  return { findings: [...world.findings], log: world.log, operations: operations.length };
}

/** Of the operations that something was found of, for whoever looks why. */
async function noteJournals(world: RuntimeWorld): Promise<void> {
  const named = new Set([...world.findings].join(' ').match(/[0-9a-f]{32}/g) ?? []);
  for (const operation of named) {
    const rows = await world.ledger.committed.all<{ seq: number; at: number; body: string }>(
      'select seq, at, body from steps where operation = $1 order by seq',
      [operation],
    );
    const row = await world.ledger.committed.get('select * from operations where id = $1', [
      operation,
    ]);
    world.note(JSON.stringify(row));
    for (const { seq, at, body } of rows) world.note(`  ${seq} ${at} ${body.slice(0, 400)}`);
  }
}

const mostStarts = 1000;

async function untilRunning(world: RuntimeWorld): Promise<RuntimeNode> {
  for (let tries = 0; tries < mostStarts; tries++) {
    const { node } = world;
    if (node !== undefined) return node;
    world.startMissing();
    await world.pass(50);
  }
  throw new Error(`seed ${world.plan.seed}: it never starts`);
}

async function prepare(world: RuntimeWorld): Promise<void> {
  for (const planned of world.plan.agents) {
    for (let tries = 0; tries < 100 && !(await isThere(world, planned.name)); tries++) {
      const node = await untilRunning(world);
      spawnPlanned(world, node, planned);
      await world.pass(100);
    }
  }
}

async function isThere({ ledger }: RuntimeWorld, name: string): Promise<boolean> {
  const row = await ledger.committed.get('select 1 as there from agents where name = $1', [name]);
  return row !== undefined;
}

function spawnPlanned(world: RuntimeWorld, { runtime }: RuntimeNode, planned: PlannedRunner): void {
  const { name, budget, maySpawn } = planned;
  const spawning = runtime.spawn({
    ...{ name, budget, by: 'owner', grants: maySpawn ? ['agent:*:spawn'] : [] },
    spec: {
      ...{ body: 'model', model: 'sim:model', instructions: 'You are simulated.' },
      ...{ max_output_tokens: 20, restart: planned.restart, is_standing: planned.isStanding },
    },
  });
  quietly(world, spawning, `spawn ${name}`);
}

/** Nobody waits for it, and it may be refused. */
function quietly(world: RuntimeWorld, work: Promise<unknown>, what: string): void {
  world.note(what);
  work.catch((failure: unknown) => world.note(`${what}: ${String(failure)}`));
}

/** One thing happens. */
function act(world: RuntimeWorld): void {
  const { dice } = world;
  const what = dice.below(100);
  if (what < 35) submit(world);
  else if (what < 47) void human(world);
  else if (what < 54) void cancelOne(world);
  else if (what < 61) pauseOrResume(world);
  else if (what < 63) terminateOne(world);
  else if (what < 75) sendMail(world);
  else if (what < 78) void prioritizeOne(world);
  else if (what < 84) freezeOrThaw(world);
  else if (what < 88) world.strike(dice.chance(30) ? 'power-cut' : 'kill');
  else if (world.plan.faults) goWrong(world);
  if (dice.chance(60)) world.startMissing();
}

function someAgent({ dice, plan }: RuntimeWorld): string {
  return dice.oneOf(plan.agents)?.name ?? 'ada';
}

function submit(world: RuntimeWorld): void {
  const { dice } = world;
  const goal = {
    ...{ text: `Goal ${world.count()}`, owner: dice.pick(['owner', 'ann', 'ben']) },
    ...{ agent: someAgent(world), priority: dice.below(10), budget: limitsOf(dice) },
    ...(dice.chance(20) ? { delayMs: dice.pick([10, 3000, 30_000]) } : {}),
    ...(dice.chance(15) ? { deadlineMs: dice.pick([40_000, 100_000]) } : {}),
  };
  const { node } = world;
  if (node !== undefined) quietly(world, node.scheduler.submit(goal), `submit ${goal.text}`);
}

async function anyOperation(world: RuntimeWorld): Promise<string | undefined> {
  if (!world.ledger.hasPower) return undefined;
  const rows = await world.ledger.committed.all<{ id: string }>(
    'select id from operations where ended_at is null order by id',
  );
  return world.dice.oneOf(rows)?.id;
}

async function cancelOne(world: RuntimeWorld): Promise<void> {
  const { node } = world;
  const id = await anyOperation(world);
  if (node === undefined || id === undefined) return;
  quietly(world, node.scheduler.cancel(id, { by: 'owner' }), `cancel ${id}`);
}

async function prioritizeOne(world: RuntimeWorld): Promise<void> {
  const { node } = world;
  const id = await anyOperation(world);
  if (node === undefined || id === undefined) return;
  quietly(world, node.scheduler.prioritize(id, world.dice.below(10), 'owner'), `prioritize ${id}`);
}

function pauseOrResume(world: RuntimeWorld): void {
  const { node, dice } = world;
  const name = someAgent(world);
  if (node === undefined) return;
  if (dice.chance(50)) quietly(world, node.runtime.pause(name, { by: 'owner' }), `pause ${name}`);
  else quietly(world, node.runtime.resume(name, { by: 'owner' }), `resume ${name}`);
}

function terminateOne(world: RuntimeWorld): void {
  const name = someAgent(world);
  const { node } = world;
  if (node === undefined) return;
  quietly(world, node.runtime.terminate(name, { by: 'owner' }), `terminate ${name}`);
}

function sendMail(world: RuntimeWorld): void {
  const { node } = world;
  const to = someAgent(world);
  if (node === undefined) return;
  const message = wholeMessage({ to, body: `Mail ${world.count()}` });
  quietly(world, node.relay.accept([{ sender: 'owner', message }]), `mail for ${to}`);
}

function freezeOrThaw(world: RuntimeWorld): void {
  const isAnyFrozen = world.nodes.some(({ ice }) => ice.isFrozen);
  if (isAnyFrozen) world.thaw();
  else if (world.plan.freezes > 0) world.freeze();
}

function goWrong(world: RuntimeWorld): void {
  const { dice, clock } = world;
  if (dice.chance(60) && world.ledger.hasPower) world.ledger.fate = 'fails';
  else clock.jump(dice.pick([-3_600_000, -5000, 700, 5000, 100_000]));
}

/** Answers what waits for an answer, and says what became of what nobody is sure of. */
async function human(world: RuntimeWorld): Promise<void> {
  const { node, dice, ledger } = world;
  if (node === undefined || !ledger.hasPower) return;
  const asked = await ledger.committed.all<{ id: string; hash: string }>(
    `select id, hash from approvals where state = 'waiting' order by id`,
  );
  for (const { id, hash } of asked) {
    const verdict = dice.chance(70)
      ? ({ kind: 'approve', scope: 'once' } as const)
      : ({ kind: 'deny', reason: 'No' } as const);
    quietly(world, node.calls.answer({ id, hash, by: 'owner', verdict }), `${verdict.kind} ${id}`);
  }
  const unsure = await ledger.committed.all<{ call_id: string; idempotency_key: string }>(
    `select call_id, idempotency_key from journal where state = 'unsure' order by id`,
  );
  for (const { call_id: callId, idempotency_key: key } of unsure) {
    const isDone = world.effects.some((effect) => effect.key === key);
    const as = isDone ? 'done' : dice.pick<'redo' | 'fail'>(['redo', 'fail']);
    if (as === 'redo') world.redone.set(key, (world.redone.get(key) ?? 0) + 1);
    quietly(world, node.calls.resolve({ callId, as, by: 'owner' }), `${as} ${callId}`);
  }
}

const roundMs = 10_000;
const leastRounds = 5;
const mostRounds = 60;

async function quieten(world: RuntimeWorld): Promise<void> {
  world.note('no more faults');
  world.spare();
  world.thaw();
  await world.pass(1000);
  world.isCalm = true;
  if (world.hasOrphans) world.endAll();
  await untilRunning(world);
  world.spare();
  for (let round = 0; round < mostRounds; round++) {
    await world.finish(human(world));
    await resumeAll(world);
    await world.pass(roundMs);
    if (round >= leastRounds && (await isQuiet(world))) break;
  }
  await world.pass(roundMs);
}

async function resumeAll(world: RuntimeWorld): Promise<void> {
  const paused = await world.ledger.committed.all<{ name: string }>(
    `select name from agents where state = 'paused'`,
  );
  for (const { name } of paused) {
    const node = await untilRunning(world);
    quietly(world, node.runtime.resume(name, { by: 'owner' }), `resume ${name}`);
  }
}

async function isQuiet({ ledger }: RuntimeWorld): Promise<boolean> {
  const row = await ledger.committed.get<{ open: number }>(
    `select (select count(*) from operations where ended_at is null)
       + (select count(*) from pending_operations where completed_at is null) as open`,
  );
  return row?.open === 0;
}
