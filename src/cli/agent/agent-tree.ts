import type { WireAgent } from '../../gateway/contract/contract.ts';

export interface Placed {
  readonly agent: WireAgent;
  /** 0 for one without a parent in the list. */
  readonly depth: number;
}

/** Children below their parents, each kind in the order of the list; none is left out. */
export function agentTree(agents: readonly WireAgent[]): readonly Placed[] {
  const known = new Set(agents.map(({ name }) => name));
  const children = new Map<string | null, WireAgent[]>();
  for (const agent of agents) {
    const parent = agent.parent !== null && known.has(agent.parent) ? agent.parent : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [agent]);
    else siblings.push(agent);
  }
  const placed: Placed[] = [];
  // A stack of its own, because a chain of children may be longer than the program's.
  const left = (children.get(null) ?? []).toReversed().map((agent) => ({ agent, depth: 0 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    placed.push(next);
    const { depth } = next;
    const below = children.get(next.agent.name) ?? [];
    for (const agent of below.toReversed()) left.push({ agent, depth: depth + 1 });
  }
  // Parents in a ring, which only a damaged ledger has, are reached from no root.
  const shown = new Set(placed.map(({ agent }) => agent.name));
  const lost = agents.filter(({ name }) => !shown.has(name));
  return [...placed, ...lost.map((agent) => ({ agent, depth: 0 }))];
}
