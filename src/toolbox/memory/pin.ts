import * as z from 'zod';
import { placeOf } from '../../memory/deps.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { deedOn, type MemoryToolDeps } from './deps.ts';
import { place } from './input.ts';

const schema = z.strictObject({ ...place, pinned: z.boolean().default(true) });

/** `memory.pin` */
export function memoryPin({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.pin',
    summary: 'Have a memory told before all others whenever its agent begins, or no longer',
    schema,
    effect: 'write',
    repeatable: true,
    deeds: (args) => [deedOn(args, 'write')],
    async run({ pinned, ...said }, { principal }) {
      const { key, scope, version, isPinned } = await memory.pin(placeOf(principal, said), pinned);
      return { key, scope, version, pinned: isPinned };
    },
  });
}
