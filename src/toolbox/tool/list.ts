/** The tool `tool.list`. */
import { type Tool, toolOf } from '../../tools/tool.ts';
import { toolListVerb } from '../../verbs/tools.ts';

export function toolList(deps: { tools(): readonly Tool[] }): Tool {
  return toolOf(toolListVerb, deps, {
    run: async ({ name: wanted }) => ({
      items: deps
        .tools()
        .filter(({ name }) => wanted === undefined || name === wanted)
        .map(({ name, summary, inputSchema }) => ({ name, summary, input_schema: inputSchema })),
    }),
  });
}
