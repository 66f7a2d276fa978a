import * as z from 'zod';
import type { Clock } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findMemoryFrom, storeMemory } from '../../ledger/memories.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import { checkSize } from '../size-limit.ts';
import { memoryDeed, memoryKey } from './memory-key.ts';

const longestBytes = 64 * 1024;

const schema = z.strictObject({
  key: memoryKey,
  value: z
    .string()
    .max(longestBytes)
    .refine((text) => Buffer.byteLength(text) <= longestBytes, `At most ${longestBytes} bytes`)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'It is no text'),
});

export interface StoreDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

/** `memory.store` */
export function memoryStore(deps: StoreDeps): Tool {
  return defineTool({
    name: 'memory.store',
    summary: 'Keep a text under a key, to recall it later; the versions before it are kept too',
    schema,
    effect: 'write',
    repeatable: true,
    deeds: ({ key }) => [memoryDeed(key, 'write')],
    run: (args, call) => store(deps, args, call),
  });
}

async function store(
  { ledger, clock }: StoreDeps,
  { key, value }: z.infer<typeof schema>,
  { id, principal, permits }: ToolCall,
): Promise<unknown> {
  checkSize(permits[0], value, 'The memory');
  const place = { owner: principal, scope: 'working', key } as const;
  const source = `tool-call:${id}`;
  const version = await ledger.transact(async (tx) => {
    // A call that is run again after a crash has stored it already, or never will have.
    const before = await findMemoryFrom(tx, place, source);
    return before ?? (await storeMemory(tx, place, { value, source, at: clock.now() }));
  });
  return { key, version };
}
