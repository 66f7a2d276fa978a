/** An agent's life in the ledger: every change of state is one guarded row and one event. */
import { type AgentState, statesBefore } from '../kernel/agent/agent.ts';
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { changeState, findAgent } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { unknownAgent } from '../security/register.ts';

/** Who wants something done to an agent, and why. */
export interface Why {
  readonly by: string;
  readonly reason?: string | undefined;
}

export interface Turn {
  readonly to: AgentState;
  /** Only from these; from all that may lead there where nothing is said. */
  readonly from?: readonly AgentState[] | undefined;
  /** Why, for people. */
  readonly reason?: string | undefined;
  readonly actor: string;
  readonly at: Instant;
  /** What the event tells besides; ids and plain facts. */
  readonly data?: object | undefined;
}

/** False when the agent is not in a state from which it may come into this one. */
export async function turnTo(tx: Transaction, name: string, turn: Turn): Promise<boolean> {
  const { to, from = statesBefore(to), reason, actor, at, data } = turn;
  const changed = await changeState(tx, name, { from, to, reason: reason ?? null, at });
  if (!changed) return false;
  await tx.record({ actor, kind: `agent.${to}`, subject: `agent:${name}`, data });
  return true;
}

/** For what a caller asks for: what cannot be is `agent.wrong-state`, in words. */
export async function mustTurnTo(tx: Transaction, name: string, turn: Turn): Promise<void> {
  if (await turnTo(tx, name, turn)) return;
  const agent = await findAgent(tx, name);
  if (agent === undefined) throw unknownAgent(name);
  throw new AosError('agent.wrong-state', {
    message: `Agent ${quote(name)} is ${agent.state}, and cannot become ${turn.to} from there`,
    fix: `aos inspect ${name} tells how it came to that`,
    details: { state: agent.state },
  });
}
