/**
 * How an agent is while no daemon runs, whatever the last one wrote into the ledger. A program
 * outlives its daemon: it runs on, or has ended, which the next daemon finds and writes down.
 */

import { decideRestart } from '../../../kernel/agent/agent.ts';
import type { RunningProgram } from '../../../kernel/programs.ts';
import { type AgentInnards, type AgentRow, agentInnards } from '../../../ledger/agents.ts';
import { endWords, isOk, momentWords } from '../../../runtime/command/end-program.ts';
import {
  readCommandSpec,
  readProgram,
  readRestarts,
} from '../../../runtime/command/stored-program.ts';
import type { GatewayDeps } from '../../server/deps.ts';

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
