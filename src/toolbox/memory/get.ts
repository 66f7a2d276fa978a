import * as z from 'zod';
import { memoryLimits } from '../../kernel/memory/memory.ts';
import { placeOf } from '../../memory/deps.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { checkSize } from '../size-limit.ts';
import { callerOf, deedOn, type MemoryToolDeps } from './deps.ts';
import { place, time } from './input.ts';
import { wireMemory } from './wire.ts';

const schema = z.strictObject({
  ...place,
  as_of: time.optional().describe('What was so then, as far as is known now'),
});

/** `memory.get` */
export function memoryGet({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.get',
    summary: 'Recall what was stored under a key',
    schema,
    effect: 'read',
    // In JSON a character may take six bytes.
    outputBytes: 6 * memoryLimits.valueBytes + 64 * 1024,
    deeds: (args) => [deedOn(args, 'read')],
    async run(args, call) {
      const where = placeOf(call.principal, args);
      const found = await memory.retrieve(callerOf(call), where, { asOf: args.as_of });
      if (found === undefined) return { key: args.key, scope: args.scope, found: false };
      checkSize(call.permits[0], JSON.stringify(found.value), 'The memory');
      return { found: true, ...wireMemory(found) };
    },
  });
}
