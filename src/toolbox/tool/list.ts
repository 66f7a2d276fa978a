import * as z from 'zod';
import { defineTool, type Tool } from '../../tools/tool.ts';

const schema = z.strictObject({
  name: z.optional(z.string().max(100).describe('Only the tool of that name')),
});

/** `tool.list` */
export function toolList({ tools }: { tools(): readonly Tool[] }): Tool {
  return defineTool({
    name: 'tool.list',
    summary: 'The tools that can be called, and what each takes',
    schema,
    effect: 'read',
    // What a tool may do is asked when it is called; that it is there is no secret.
    deeds: () => [],
    run: async ({ name: wanted }) => ({
      items: tools()
        .filter(({ name }) => wanted === undefined || name === wanted)
        .map(({ name, summary, inputSchema }) => ({ name, summary, input_schema: inputSchema })),
    }),
  });
}
