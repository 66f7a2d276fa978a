import * as z from 'zod';
import { placeOf } from '../../memory/deps.ts';
import { isStorable, storedValue } from '../../memory/value.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { checkSize } from '../size-limit.ts';
import { callerOf, deedOn, type MemoryToolDeps } from './deps.ts';
import { place, tags, thread, time } from './input.ts';

const yearMs = 366 * 86_400_000;

const schema = z.strictObject({
  ...place,
  value: z
    .unknown()
    .refine(isStorable, 'It is no text or value of JSON, or has over 1 MiB: store it as a file')
    .describe('A text, or any other value of JSON; at most 1 MiB'),
  tags: tags.optional(),
  thread: thread.optional().describe('The conversation that it is a part of'),
  valid_from: time.optional().describe('Since when it is so, where that is not now'),
  valid_to: time.optional().describe('Until when it was so'),
  ttl_seconds: z
    .int()
    .min(1)
    .max((100 * yearMs) / 1000)
    .optional()
    .describe('How long it is kept; for good where nothing is said'),
  pin: z.boolean().optional().describe('Told to a model before everything else'),
});

/** `memory.store` */
export function memoryStore({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.store',
    summary: 'Remember something under a key; what was there before is kept as a version',
    schema,
    effect: 'write',
    repeatable: true,
    deeds: (args) => [deedOn(args, 'write')],
    async run(args, call) {
      const { value, ttl_seconds: ttl } = args;
      checkSize(call.permits[0], storedValue(value).value, 'It');
      const { operation, user: source } = callerOf(call);
      const stored = await memory.store({
        ...{ place: placeOf(call.principal, args), value, author: call.principal },
        ...{ tags: args.tags, thread: args.thread, source, operation },
        ...{ validFrom: args.valid_from, validTo: args.valid_to, isPinned: args.pin },
        ttlMs: ttl === undefined ? undefined : ttl * 1000,
      });
      const { key, scope, version } = stored.memory;
      return { key, scope, version, stored: stored.isNew };
    },
  });
}
