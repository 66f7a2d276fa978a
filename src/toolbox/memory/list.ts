import * as z from 'zod';
import { sharedOwner } from '../../kernel/memory/memory.ts';
import { principalNamed } from '../../memory/deps.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { callerOf, deedBelow, type MemoryToolDeps, mostShown } from './deps.ts';
import { agentName, key, scope, time } from './input.ts';
import { cutMemory, wireMemory } from './wire.ts';

const shownCharacters = 200;

const schema = z.strictObject({
  scope: scope.default('working'),
  of: agentName.optional().describe('Whose, where it is not one’s own: an agent, or "owner"'),
  prefix: key.optional().describe('Only this key and what lies below it'),
  as_of: time.optional(),
  cursor: key.optional().describe('The last key of the page before'),
  limit: z.int().min(1).max(200).default(50),
});

/** `memory.list` */
export function memoryList({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.list',
    summary: 'List what is remembered, by key; the values are cut to their beginnings',
    schema,
    effect: 'read',
    deeds: ({ scope: where, of, prefix = '' }) => [
      deedBelow({ scope: where, of, key: prefix }, 'read'),
    ],
    async run({ scope: where, of, prefix, as_of: asOf, cursor, limit }, call) {
      const self = of === undefined ? call.principal : principalNamed(of);
      const owner = where === 'shared' ? sharedOwner : self;
      const page = { owner, scope: where, prefix, after: cursor, limit: limit + 1, asOf };
      const found = await memory.list(callerOf(call), page);
      const shown = found.slice(0, limit);
      const next = found.length > limit ? (shown.at(-1)?.key ?? null) : null;
      return {
        memories: shown.map((each) =>
          cutMemory(wireMemory(each), mostShown(call, shownCharacters)),
        ),
        next,
      };
    },
  });
}
