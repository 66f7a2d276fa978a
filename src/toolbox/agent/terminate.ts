import * as z from 'zod';
import { findAgent } from '../../ledger/agents.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { AgentToolDeps } from './deps.ts';
import { runtimeOf } from './spawn.ts';

const schema = z.strictObject({
  name: z.string().max(100),
  reason: z.optional(z.string().max(1000)),
});

/** `agent.terminate` */
export function agentTerminate(deps: AgentToolDeps): Tool {
  return defineTool({
    name: 'agent.terminate',
    summary: 'End an agent with all that it does and all that it has spawned',
    schema,
    effect: 'write',
    // One that is over is over.
    repeatable: true,
    deeds: ({ name }) => [{ resource: 'agent', action: 'release', name }],
    run: async ({ name, reason }, { principal }) => {
      const row = await findAgent(deps.ledger.committed, name);
      if (row?.state !== 'terminated') {
        await runtimeOf(deps).terminate(name, {
          by: principal,
          ...(reason === undefined ? {} : { reason }),
        });
      }
      return { agent: name, state: 'terminated' };
    },
  });
}
