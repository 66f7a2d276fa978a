import * as z from 'zod';
import { placeOf } from '../../memory/deps.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { callerOf, deedOn, type MemoryToolDeps, mostShown } from './deps.ts';
import { place } from './input.ts';
import { cutMemory, wireMemory } from './wire.ts';

/** The whole is told by memory.get with as_of. */
const shownCharacters = 4000;

const schema = z.strictObject({
  ...place,
  before: z.int().min(1).optional().describe('Only versions before this one'),
  limit: z.int().min(1).max(100).default(20),
});

/** `memory.history` */
export function memoryHistory({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.history',
    summary: 'Every version that a memory has had, the newest first',
    schema,
    effect: 'read',
    deeds: (args) => [deedOn(args, 'read')],
    async run({ before, limit, ...said }, call) {
      const where = placeOf(call.principal, said);
      const found = await memory.history(callerOf(call), where, { before, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const next = found.length > limit ? (shown.at(-1)?.version ?? null) : null;
      return {
        versions: shown.map((each) =>
          cutMemory(wireMemory(each), mostShown(call, shownCharacters)),
        ),
        next,
      };
    },
  });
}
