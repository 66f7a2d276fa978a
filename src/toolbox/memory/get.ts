import * as z from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { findMemory } from '../../ledger/memories.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { checkSize } from '../size-limit.ts';
import { memoryDeed, memoryKey } from './memory-key.ts';

const schema = z.strictObject({ key: memoryKey });

/** `memory.get` */
export function memoryGet({ ledger }: { readonly ledger: Pick<Ledger, 'committed'> }): Tool {
  return defineTool({
    name: 'memory.get',
    summary: 'Recall what was stored under a key',
    schema,
    effect: 'read',
    deeds: ({ key }) => [memoryDeed(key, 'read')],
    async run({ key }, { principal, permits }) {
      const found = await findMemory(ledger.committed, { owner: principal, scope: 'working', key });
      if (found === undefined) return { key, found: false };
      checkSize(permits[0], found.value, 'The memory');
      return { key, found: true, value: found.value, version: found.version };
    },
  });
}
