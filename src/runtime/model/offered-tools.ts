import type { OfferedTool } from '../../kernel/agent/model.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { grantsHeldBy } from '../../ledger/security/grants.ts';
import type { Tool } from '../../tools/tool.ts';

// The same objects for every turn, because what they weigh is remembered by them.
const known = new WeakMap<Tool, OfferedTool>();

/** Tools of these areas do nothing for an agent that holds nothing of the same name. */
const byGrant: ReadonlySet<string> = new Set([
  ...['file', 'http', 'shell', 'agent', 'memory', 'message', 'transfer'],
]);

/** toolsFor() what the agent holds now. */
export async function offeredTools(
  sql: Sql,
  tools: readonly Tool[],
  { agent, chosen }: { readonly agent: string; readonly chosen: readonly string[] | undefined },
): Promise<readonly OfferedTool[]> {
  const held = chosen === undefined ? await grantsHeldBy(sql, `agent:${agent}`) : [];
  return toolsFor(tools, { chosen, capabilities: held.map(({ capability }) => capability) });
}

export interface ToolChoice {
  readonly chosen: readonly string[] | undefined;
  /** What the agent holds. */
  readonly capabilities: readonly string[];
}

/**
 * Those of the names, or of the areas as in `file.*`; where nothing is said, all that the
 * agent could be allowed to call. What it may do is asked at the door, whatever is offered:
 * this only spares a model what is of no use to it, and the tokens.
 */
export function toolsFor(
  tools: readonly Tool[],
  { chosen, capabilities }: ToolChoice,
): readonly OfferedTool[] {
  if (chosen !== undefined)
    return tools.filter(({ name }) => isChosen(chosen, name)).map(offeredOf);
  const held = new Set<string>(capabilities.map((text) => parseCapability(text).resource));
  return tools
    .filter(({ name }) => {
      const area = name.slice(0, name.indexOf('.'));
      return !byGrant.has(area) || held.has(area);
    })
    .map(offeredOf);
}

function isChosen(chosen: readonly string[], name: string): boolean {
  return chosen.some((one) =>
    one.endsWith('.*') ? name.startsWith(one.slice(0, -1)) : name === one,
  );
}

function offeredOf(tool: Tool): OfferedTool {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const offered = { name: tool.name, summary: tool.summary, inputSchema: tool.inputSchema };
  known.set(tool, offered);
  return offered;
}
