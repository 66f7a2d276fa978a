import * as z from 'zod';
import { childrenOf, findAgent } from '../../ledger/agents.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { AgentToolDeps } from './deps.ts';

/** `agent.list` */
export function agentList({ ledger }: AgentToolDeps): Tool {
  return defineTool({
    name: 'agent.list',
    summary: 'List the agents that you have spawned, and how they are',
    schema: z.strictObject({}),
    effect: 'read',
    deeds: () => [],
    run: async (_, { principal }) => {
      const sql = ledger.committed;
      const agents = [];
      for (const name of await childrenOf(sql, principal.replace(/^agent:/, ''))) {
        const row = await findAgent(sql, name);
        if (row !== undefined) agents.push({ name, state: row.state, reason: row.reason });
      }
      return { agents };
    },
  });
}
