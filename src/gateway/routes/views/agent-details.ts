/** All that is known of one agent. */
import { type AgentSpec, decideRestart, readSpec, sandboxOf } from '../../../kernel/agent/agent.ts';
import { AosError } from '../../../kernel/errors.ts';
import type { RunningProgram } from '../../../kernel/programs.ts';
import { timeText } from '../../../kernel/text/time-text.ts';
import {
  type AgentInnards,
  type AgentRow,
  agentInnards,
  childrenOf,
  findAgent,
  uidOf,
} from '../../../ledger/agents.ts';
import type { Sql } from '../../../ledger/ledger.ts';
import { findLease, readBudget } from '../../../ledger/operations/leases.ts';
import {
  listOperations,
  type OperationRow,
  openStates,
  overStates,
} from '../../../ledger/operations/operations.ts';
import { holdsAny } from '../../../ledger/security/grants.ts';
import { endWords, isOk, momentWords } from '../../../runtime/command/end-program.ts';
import {
  placesOf,
  readCommandSpec,
  readProgram,
  readRestarts,
} from '../../../runtime/command/stored-program.ts';
import { unknownAgent } from '../../../security/register.ts';
import type { WireAgentDetails } from '../../contract/contract.ts';
import type { HomeCaller } from '../../server/authenticate.ts';
import type { GatewayDeps } from '../../server/deps.ts';
import { timeOrNull } from './event-wire.ts';
import { modelShown, wireBudget, wireSummary } from './goal-wire.ts';
import { goalAsItIs } from './runtime-of.ts';

type DetailsDeps = Pick<
  GatewayDeps,
  'ledger' | 'disk' | 'clock' | 'home' | 'secrets' | 'runtime' | 'programs' | 'sandboxState'
>;

/** Throws `agent.unknown`, also for one that is none of the caller's business. */
export async function agentDetails(
  deps: DetailsDeps,
  caller: HomeCaller,
  name: string,
): Promise<WireAgentDetails> {
  const sql = deps.ledger.committed;
  const row = await agentAsItIs(deps, await visibleAgent(sql, caller, name));
  const innards = await agentInnards(sql, name);
  const spec = readSpec(innards?.spec);
  const budget = await readBudget(sql, `agent:${name}`);
  const { status, state, body, reason, health, parent, spawned_by, pid } = row;
  return {
    ...{ name, address: row.address ?? '', status, state, body },
    registered_at: timeText(row.registered_at),
    last_seen_at: timeOrNull(row.last_seen_at),
    state_at: timeOrNull(row.state_at),
    ...{ reason, health, parent, spawned_by, pid },
    ...modelShown(spec),
    ...programShown(spec),
    ...(await wallShown(deps, name, spec)),
    restart: spec?.restart ?? null,
    restarts: readRestarts(innards?.restarts ?? null).map(timeText),
    budget: budget === undefined ? null : wireBudget(budget),
    // One of a daemon that is no more holds nothing.
    lease: deps.runtime === undefined ? null : await leaseOf(sql, name),
    children: await childrenOf(sql, name),
    operations: (await operationsOf(sql, name)).map((one) => wireSummary(goalAsItIs(deps, one))),
    ...(await logOf(deps, row)),
  };
}

async function visibleAgent(sql: Sql, caller: HomeCaller, name: string): Promise<AgentRow> {
  const row = await findAgent(sql, name);
  const isVisible = caller.kind === 'owner' || (await isWithin(sql, row, caller.name));
  if (row === undefined || !isVisible) throw unknownAgent(name);
  return row;
}

// A child may have children in its turn; rows that were edited must not be followed for ever.
const deepest = 100;

async function isWithin(sql: Sql, row: AgentRow | undefined, elder: string): Promise<boolean> {
  let one = row;
  for (let depth = 0; one !== undefined && depth < deepest; depth++) {
    if (one.name === elder) return true;
    one = one.parent === null ? undefined : await findAgent(sql, one.parent);
  }
  return false;
}

function programShown(spec: AgentSpec | undefined): Pick<WireAgentDetails, 'argv' | 'cwd'> {
  if (spec?.body !== 'command') return { argv: null, cwd: null };
  return { argv: [...spec.argv], cwd: spec.cwd ?? null };
}

async function wallShown(
  { ledger, sandboxState }: DetailsDeps,
  name: string,
  spec: AgentSpec | undefined,
): Promise<
  Pick<WireAgentDetails, 'sandbox' | 'sandbox_rung' | 'sees' | 'writable' | 'uid' | 'network'>
> {
  const sandbox = sandboxOf(spec);
  const state = sandbox === 'on' ? await sandboxState?.() : undefined;
  const { sees = [], writable = false } = spec?.body === 'command' ? spec : {};
  return {
    sandbox,
    sandbox_rung: state?.kind === 'works' ? state.rung : null,
    sees: [...sees],
    writable,
    // Without a wall it runs as the user of the daemon.
    uid: sandbox === 'off' ? null : ((await uidOf(ledger.committed, name)) ?? null),
    network: await holdsAny(ledger.committed, `agent:${name}`, 'http'),
  };
}

async function leaseOf(sql: Sql, name: string): Promise<WireAgentDetails['lease']> {
  const lease = await findLease(sql, `agent:${name}`);
  return lease === undefined
    ? null
    : { owner: lease.owner, token: lease.token, renewals: lease.renewals };
}

const most = { open: 100, over: 20 };

async function operationsOf(sql: Sql, agent: string): Promise<OperationRow[]> {
  return [
    ...(await listOperations(sql, { agent, states: openStates, limit: most.open })),
    ...(await listOperations(sql, { agent, states: overStates, limit: most.over })),
  ];
}

const tailBytes = 4096;
// More is read, so that a secret is found whole where the tail cuts it.
const readBytes = 32 * 1024;

async function logOf(
  { disk, home, secrets }: DetailsDeps,
  { name, body }: AgentRow,
): Promise<Pick<WireAgentDetails, 'log_path' | 'log_tail'>> {
  if (body !== 'command') return { log_path: null, log_tail: null };
  const { log } = placesOf(home, name);
  try {
    await using file = await disk.read(log);
    const from = Math.max(0, (await file.sizeBytes()) - readBytes);
    const bytes = await file.readAt(from, readBytes);
    const text = secrets.scrubber.scrubText(Buffer.from(bytes).toString());
    return { log_path: log, log_tail: lastOf(text) };
  } catch (failure) {
    // It has said nothing yet, or the file was taken away: the rest is known all the same.
    if (failure instanceof AosError) return { log_path: log, log_tail: null };
    throw failure;
  }
}

function lastOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= tailBytes) return text;
  const tail = bytes.subarray(-tailBytes);
  // Not from the middle of a character.
  const first = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return tail.subarray(Math.max(0, first)).toString();
}

// How an agent is while no daemon runs, whatever the last one wrote into the ledger. A program
// outlives its daemon: it runs on, or has ended, which the next daemon finds and writes down.

type LifeDeps = Pick<GatewayDeps, 'runtime' | 'programs' | 'ledger' | 'clock'>;

export async function agentAsItIs<Row extends AgentRow>(deps: LifeDeps, row: Row): Promise<Row> {
  const { name, state, state_at } = row;
  if (deps.runtime !== undefined || (state !== 'running' && state !== 'paused')) return row;
  const innards = await agentInnards(deps.ledger.committed, name);
  const stored = readProgram(innards?.program ?? null);
  if (innards !== undefined && stored !== undefined && deps.programs !== undefined) {
    const program = deps.programs.adopt(stored.record);
    if (program.condition() === 'gone')
      return { ...row, ...(await endOf(deps, name, { innards, program })) };
    const since = state_at === null ? '' : ` since ${momentWords(state_at)}`;
    return { ...row, reason: `${row.reason ?? `${state}${since}`}; no daemon watches it` };
  }
  if (state === 'paused') return row;
  return { ...row, state: 'pending', reason: 'no daemon is there; it goes on when one is' };
}

interface Gone {
  readonly innards: AgentInnards;
  readonly program: RunningProgram;
}

/** What the next daemon will write, as far as it can be known now. */
async function endOf(
  { clock }: Pick<LifeDeps, 'clock'>,
  name: string,
  { innards, program }: Gone,
): Promise<Pick<AgentRow, 'state' | 'reason' | 'state_at' | 'pid' | 'health'>> {
  const end = await program.ended;
  const at = program.endedAt();
  const { kind } = decideRestart({
    policy: readCommandSpec(name, innards.spec).restart,
    end: isOk(end) ? 'ok' : 'failed',
    restarts: readRestarts(innards.restarts),
    now: clock.now(),
  });
  const words = endWords({ end, ranMs: undefined, endedAt: at, tail: '' });
  const gone = { state_at: at ?? null, pid: null, health: null };
  if (kind === 'restart')
    return { ...gone, state: 'pending', reason: `starts again with the next daemon: ${words}` };
  return { ...gone, state: isOk(end) && kind === 'stop' ? 'completed' : 'failed', reason: words };
}
