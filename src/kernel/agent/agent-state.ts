/** How an agent's life goes, and which way it may go on. */

export type AgentState = 'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'terminated';

/**
 * `running` is under a lease, or is a lie. A standing agent is `pending` again when it has
 * nothing to do; an agent that is over is `pending` again when it gets another goal, or its
 * supervisor starts it anew. `terminated` is left by being spawned or registered once more.
 */
const ways: Readonly<Record<AgentState, readonly AgentState[]>> = {
  pending: ['running', 'paused', 'completed', 'failed', 'terminated'],
  running: ['pending', 'paused', 'completed', 'failed', 'terminated'],
  paused: ['running', 'pending', 'failed', 'terminated'],
  completed: ['pending', 'terminated'],
  failed: ['pending', 'terminated'],
  terminated: ['pending'],
};

export function mayBecome(from: AgentState, to: AgentState): boolean {
  return ways[from].includes(to);
}

/** From which states an agent may come into this one. */
export function statesBefore(to: AgentState): readonly AgentState[] {
  return allStates.filter((from) => mayBecome(from, to));
}

export const allStates = Object.keys(ways) as readonly AgentState[];
