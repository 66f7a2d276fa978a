/**
 * A process in which somebody asks for a program by a message, and that kills itself at its
 * n-th boundary on the way to the answer; or that takes up what such a one has left.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAgent } from '../../src/ledger/agents.ts';
import { readLeases } from '../../src/ledger/operations/leases.ts';
import { openPendingOperations } from '../../src/ledger/operations/pending-operations.ts';
import { openWorld, sendAsOwner, type World, type WorldPlaces } from './runtime-world.ts';
import { Boundaries } from './watched-ledger.ts';

export interface SpawnProcessOrder extends WorldPlaces {
  /** The words of the program. */
  readonly cli: string;
}

export interface SpawnProcessReport {
  /** Whether the message was accepted before the process died. */
  readonly isAsked: boolean;
  readonly state: string;
  readonly reason: string | null;
  readonly answers: readonly string[];
  /** How often the program finds its prompt. */
  readonly prompts: number;
  readonly leases: readonly string[];
  readonly lies: readonly string[];
}

const name = 'worker';

async function ask(order: SpawnProcessOrder, dieAt: number | undefined): Promise<void> {
  const boundaries = new Boundaries(dieAt);
  await using world = await openWorld(order, boundaries);
  const { runtime, relay, tools } = world;
  boundaries.isArmed = true;
  await tools.calls.recover();
  await runtime.recover();
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  if (dieAt !== undefined) {
    const body = `NAME: ${name}\nCLI: ${order.cli}\nPROMPT: paint`;
    await sendAsOwner(relay, { to: '__orchestrator__', kind: 'spawn', body });
  }
  await untilAnswered(world);
  boundaries.isArmed = false;
  writeSync(1, `${JSON.stringify(await reportOn(world))}\n`);
  stop.abort();
  await running;
}

async function untilAnswered({ ledger }: World): Promise<void> {
  while ((await openPendingOperations(ledger.committed, 1)).length > 0) await sleep(2);
}

async function reportOn({ ledger, relay }: World): Promise<SpawnProcessReport> {
  const sql = ledger.committed;
  const worker = await findAgent(sql, name);
  const answers = await relay.mailboxes.list('owner', { limit: 100 });
  const sent = await sql.all<{ target: string }>('select target from messages');
  return {
    isAsked: sent.some(({ target }) => target === '__orchestrator__'),
    state: worker?.state ?? 'none',
    reason: worker?.reason ?? null,
    answers: answers.map(({ kind, body }) => `${kind} ${body}`),
    prompts: sent.filter(({ target }) => target === name).length,
    leases: (await readLeases(sql)).map(({ subject }) => subject),
    lies: ledger.lies,
  };
}

// The test wrote it.
const { finish, begin } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly finish?: SpawnProcessOrder;
  readonly begin?: SpawnProcessOrder & { readonly dieAt: number };
};
if (finish !== undefined) await ask(finish, undefined);
if (begin !== undefined) await ask(begin, begin.dieAt);
