import { expect, test } from 'vitest';
import * as z from 'zod';
import { runTool } from '../../../tests/support/tool-call.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { toolList } from './list.ts';

const echo = defineTool({
  name: 'test.echo',
  summary: 'Say it again',
  schema: z.strictObject({ text: z.string() }),
  effect: 'read',
  actions: () => [],
  run: async ({ text }) => text,
});

test('tool.list tells of every tool that there is now, and what it takes', async () => {
  const tools: Tool[] = [];
  const list = toolList({ tools: () => tools });
  tools.push(list, echo);

  const all = await runTool(list, {}, { capabilities: [] });
  const one = await runTool(list, { name: 'test.echo' }, { capabilities: [] });

  expect(all).toMatchObject({ items: [{ name: 'tool.list' }, { name: 'test.echo' }] });
  expect(one).toEqual({
    items: [
      {
        name: 'test.echo',
        summary: 'Say it again',
        input_schema: {
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
          additionalProperties: false,
        },
      },
    ],
  });
});

test('tool.list knows no tool of another name', async () => {
  const list = toolList({ tools: () => [echo] });

  expect(await runTool(list, { name: 'test.other' }, { capabilities: [] })).toEqual({ items: [] });
});
