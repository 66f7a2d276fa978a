/** The one door over a ledger in memory, with tools that a test writes. */

import * as z from 'zod';
import type { Action } from '../../src/kernel/capability/capability.ts';
import type { Note } from '../../src/kernel/message/message.ts';
import { insertAgent } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ApprovalRow } from '../../src/ledger/security/approvals.ts';
import type { CallRow } from '../../src/ledger/security/journal.ts';
import { CapabilityManager } from '../../src/security/grants/capability-manager.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { Scrubber, scrubbedLedger } from '../../src/security/secrets/scrub.ts';
import { ToolCalls } from '../../src/tools/call.ts';
import { type CallLimits, defaultCallLimits } from '../../src/tools/deps.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool, type ToolSpec } from '../../src/tools/tool.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { SimulatedLedger } from '../sim/ledger.ts';
import { seededRandom } from '../sim/random.ts';

export interface TemporaryTools {
  readonly ledger: Ledger;
  readonly clock: SimulatedClock;
  readonly grants: Grants;
  readonly capabilities: CapabilityManager;
  readonly tools: ToolRegistry;
  readonly calls: ToolCalls;
  readonly scrubber: Scrubber;
  readonly notes: readonly Note[];
  /** From now on nobody can be told anything. */
  breakNotes(): void;
  /** Another process over the same ledger: what this one had begun is not ended by it. */
  restart(): TemporaryTools;
  call(id: string): Promise<CallRow | undefined>;
  approvals(): Promise<ApprovalRow[]>;
  /** The kinds of the events, with what they are about. */
  events(kind?: string): Promise<{ kind: string; actor: string; subject: string; data: string }[]>;
}

/** With the agents jean, sam and kim. */
export async function temporaryTools(limits: Partial<CallLimits> = {}): Promise<TemporaryTools> {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  await ledger.transact(async (tx) => {
    for (const name of ['jean', 'sam', 'kim']) {
      const facts = { status: 'active', state: 'pending', body: 'guest' } as const;
      await insertAgent(tx, { name, registered_at: 0, ...facts });
    }
  });
  const notes: Note[] = [];
  return open({ ledger, clock, notes, limits, starts: 1 });
}

interface Parts {
  readonly ledger: SimulatedLedger;
  readonly clock: SimulatedClock;
  readonly notes: Note[];
  readonly limits: Partial<CallLimits>;
  readonly starts: number;
}

function open(parts: Parts): TemporaryTools {
  const { clock, notes, limits, starts } = parts;
  const random = seededRandom(`tools ${starts}`);
  const scrubber = new Scrubber();
  const ledger = scrubbedLedger(parts.ledger, scrubber);
  const grants = new Grants({ ledger, clock, random });
  const tools = new ToolRegistry();
  const calls = new ToolCalls({
    ...{ ledger, grants, clock, random, scrubber },
    limits: { ...defaultCallLimits, ...limits },
    log: { error: () => {} },
    tool: (name) => tools.get(name),
    notify: async (note) => {
      if (broken) throw new Error('the mailbox is full');
      notes.push(note);
    },
  });
  tools.joinTo(calls);
  let broken = false;
  return {
    ...{ ledger, clock, grants, tools, calls, scrubber, notes },
    capabilities: new CapabilityManager({ ledger, grants, clock }),
    breakNotes: () => {
      broken = true;
    },
    restart: () => open({ ...parts, starts: starts + 1 }),
    call: (id) => ledger.committed.get('select * from journal where call_id = $1', [id]),
    approvals: () => ledger.committed.all('select * from approvals order by id'),
    events: (kind = '%') =>
      ledger.committed.all(
        'select kind, actor, subject, data from events where kind like $1 order by seq',
        [kind],
      ),
  };
}

/** A tool that takes a name, wants to call the tool of that name, and does what a test says. */
export function testTool(
  name: string,
  run: ToolSpec<{ name: string }>['run'],
  choices: Partial<Omit<ToolSpec<{ name: string }>, 'name' | 'run'>> = {},
) {
  return defineTool<{ name: string }>({
    name,
    summary: 'A tool of a test',
    schema: z.strictObject({ name: z.string().max(1000).default('x') }),
    effect: 'external',
    actions: (args) => [toolAction(args.name)],
    ...choices,
    run,
  });
}

export function toolAction(name: string): Action {
  return { resource: 'tool', action: 'call', name };
}
