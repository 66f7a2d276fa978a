/**
 * A home with its runtime, as a process that kills itself at its n-th boundary: before and
 * after every transaction (so also before and after the model answers, a call starts and a
 * message is read, because each of these is between two of them) and around every effect.
 * Its one argument are `RuntimeOrders`; what became of a run goes to its output as a line with
 * a `RuntimeReport`.
 */

import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { foldSteps, type JournalStep } from '../../src/kernel/journal/step.ts';
import { everyAgent, findAgent } from '../../src/ledger/agents.ts';
import { readBudget, readLeases } from '../../src/ledger/operations/leases.ts';
import { findOperation, listOperations } from '../../src/ledger/operations/operations.ts';
import { readSteps } from '../../src/ledger/operations/steps.ts';
import type { AgentRuntime } from '../../src/runtime/runtime.ts';
import { verifyChain } from '../../src/security/audit/verify.ts';
import { effectsIn, openWorld, type World, type WorldPlaces } from './runtime-world.ts';
import { Boundaries } from './watched-ledger.ts';

export interface RuntimeOrder extends WorldPlaces {
  /** A scripted model's file. */
  readonly script: string;
  /** How calls that nobody is sure of are resolved; a run that meets none is not changed by it. */
  readonly resolve?: 'done' | 'redo' | 'fail';
}

/** What the process does: takes up and ends a run, then begins another and dies in it. */
export interface RuntimeOrders {
  readonly finish?: RuntimeOrder;
  readonly begin?: RuntimeOrder & { readonly dieAt: number };
}

export interface RuntimeReport {
  readonly boundaries: number;
  readonly operation: string;
  readonly result: string | null;
  /** What the journal holds: its kinds, and what comes next of their fold. */
  readonly kinds: readonly string[];
  readonly next: string;
  readonly mailRead: readonly string[];
  readonly agent: string;
  readonly leases: readonly string[];
  readonly chain: string;
  /** Whenever somebody was `running` without a lease. */
  readonly lies: readonly string[];
  /** Of each call that nobody was sure of: its key, how often it had its effect by then. */
  readonly unsure: readonly { readonly key: string; readonly effects: number }[];
  readonly ownerTold: readonly string[];
  readonly children: readonly string[];
  /** What is still held of any budget, and how many children the agent's has paid for. */
  readonly held: number;
  readonly childrenPaid: number;
}

const agent = 'walker';
/** Works until the run is over, or the process is. */
async function walk(order: RuntimeOrder, dieAt: number | undefined): Promise<RuntimeReport> {
  const boundaries = new Boundaries(dieAt);
  await using world = await openWorld(order, boundaries);
  const { runtime, tools } = world;
  boundaries.isArmed = dieAt === undefined;
  await tools.calls.recover();
  await runtime.recover();
  if (dieAt !== undefined) await spawnWalker(runtime, order);
  boundaries.isArmed = true;
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const unsure = await untilOver(world, order);
  boundaries.isArmed = false;
  const report = await reportOn(world);
  stop.abort();
  await running;
  return { ...report, unsure, boundaries: boundaries.count };
}

async function untilOver(world: World, order: RuntimeOrder): Promise<RuntimeReport['unsure']> {
  const unsure: RuntimeReport['unsure'][number][] = [];
  for (;;) {
    const [row] = await listOperations(world.ledger.committed, { agent, limit: 1 });
    if (row === undefined) throw new Error('there is no operation');
    if (row.ended_at !== null) return unsure;
    if (row.state === 'waiting') {
      unsure.push(...(await resolveWaiting(world, order, row.waits_for)));
    }
    await sleep(2);
  }
}

async function spawnWalker(runtime: AgentRuntime, { script }: RuntimeOrder): Promise<void> {
  await runtime.spawn({
    name: agent,
    by: 'owner',
    goal: { text: 'walk' },
    grants: ['agent:*:spawn', `file:${dirname(script)}/*:read`],
    budget: { tokens: 1_000_000, children: 3 },
    spec: {
      ...{ body: 'model', model: `scripted:${script}`, instructions: 'You walk.' },
      ...{ max_output_tokens: 1000, restart: 'never', is_standing: false },
    },
  });
}

async function resolveWaiting(
  { tools }: World,
  { effects, resolve: as = 'done' }: RuntimeOrder,
  waitsFor: string | null,
): Promise<RuntimeReport['unsure']> {
  const callId = /^call:(.*)$/.exec(waitsFor ?? '')?.[1] ?? '';
  const outcome = await tools.calls.outcome(callId);
  // It was resolved just now, and the run has yet to hear of it.
  if (outcome?.kind !== 'failed' || outcome.error.code !== 'tool.unsure') return [];
  const before = effectsIn(effects);
  const { idempotency_key: key } = await tools.calls.resolve({ callId, as, by: 'owner' });
  return [{ key, effects: before.filter((one) => one === key).length }];
}

async function reportOn({
  ledger,
  relay,
}: World): Promise<Omit<RuntimeReport, 'unsure' | 'boundaries'>> {
  const sql = ledger.committed;
  const [{ id = '' } = {}] = await listOperations(sql, { agent, limit: 1 });
  const steps = await readSteps(sql, id);
  const told = await relay.mailboxes.list('owner', { limit: 100 });
  return {
    operation: id,
    result: (await findOperation(sql, id))?.result ?? null,
    kinds: steps.map(({ step }) => step.kind),
    next: foldSteps(steps).next.kind,
    mailRead: steps.flatMap(mailIn),
    agent: (await findAgent(sql, agent))?.state ?? '',
    leases: (await readLeases(sql)).map(({ subject }) => subject),
    chain: (await verifyChain({ ledger })).kind,
    lies: ledger.lies,
    ownerTold: told.map(({ body }) => body),
    children: await childrenIn(ledger),
    held: await heldIn(ledger),
    childrenPaid: (await readBudget(sql, `agent:${agent}`))?.children.used ?? 0,
  };
}

async function childrenIn({ committed }: World['ledger']): Promise<string[]> {
  const all = await Array.fromAsync(everyAgent(committed));
  return all.filter(({ parent }) => parent === agent).map(({ name, state }) => `${name} ${state}`);
}

async function heldIn({ committed }: World['ledger']): Promise<number> {
  const row = await committed.get<{ held: number }>(
    `select coalesce(sum(tokens_held + cost_held + wall_held + tool_calls_held + children_held), 0)
       as held from budgets`,
  );
  return row?.held ?? 0;
}

function mailIn({ step }: JournalStep): string[] {
  return step.kind === 'mail' ? step.messages.map(({ text }) => text) : [];
}

// Imported by the test for its types and words, and run by nobody but itself.
if (process.argv[1] === import.meta.filename) {
  // The test wrote it.
  const { finish, begin } = JSON.parse(process.argv[2] ?? '{}') as RuntimeOrders;
  if (finish !== undefined) say(await walk(finish, undefined));
  if (begin !== undefined) say(await walk(begin, begin.dieAt));
}

// At once: what follows may be the end of this process.
function say(report: RuntimeReport): void {
  writeSync(1, `${JSON.stringify(report)}\n`);
}
