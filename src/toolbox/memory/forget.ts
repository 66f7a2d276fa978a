import * as z from 'zod';
import { placeOf } from '../../memory/deps.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { deedOn, type MemoryToolDeps } from './deps.ts';
import { place } from './input.ts';

const schema = z.strictObject(place);

/** `memory.forget` */
export function memoryForget({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.forget',
    summary: 'Have nobody told of a memory any more; that it was there stays in its history',
    schema,
    effect: 'write',
    deeds: (args) => [deedOn(args, 'write')],
    async run(args, { principal }) {
      await memory.forget(placeOf(principal, args), { below: false, actor: principal });
      return { key: args.key, scope: args.scope, forgotten: true };
    },
  });
}
