/** What the tools `memory.*` take, in the words of the wire. */
import * as z from 'zod';
import { isMemoryKey, keyRule, memoryLimits, memoryScopes } from '../../kernel/memory/memory.ts';

export const key = z
  .string()
  .min(1)
  .refine(isMemoryKey, keyRule)
  .describe(
    'Such as "plan" or "projects/house/plan"; of what is shared the first part is its space',
  );

const name = (longest: number) =>
  z
    .string()
    .min(1, 'It is empty')
    .max(longest)
    .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text), 'It has something unseen in it');

export const scope = z.enum(memoryScopes);
export const agentName = name(128);
export const tags = z.array(name(memoryLimits.tagCharacters)).max(memoryLimits.tags);
export const thread = name(memoryLimits.threadCharacters);
export const time = z.iso
  .datetime({ offset: true, error: 'That is no time such as 2026-11-16T12:00:00Z' })
  .transform((text) => Date.parse(text))
  .refine((at) => at >= Date.UTC(0) && at < Date.UTC(10_000, 0), 'A time has a year of four digits')
  .describe('Such as 2026-11-16T12:00:00Z');
export const query = z.string().min(1).max(memoryLimits.queryCharacters);

/** Which memory: `working` and one's own where nothing is said. */
export const place = {
  key,
  scope: scope.default('working'),
  of: agentName.optional().describe('Whose, where it is not one’s own: an agent, or "owner"'),
};
