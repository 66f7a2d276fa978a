import * as z from 'zod';
import { placeOf } from '../../memory/deps.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { deedBelow, type MemoryToolDeps } from './deps.ts';
import { agentName, key, scope, time } from './input.ts';

const what = {
  key,
  scope: scope.default('working'),
  with: agentName.describe('The agent that may read it'),
};

const shareSchema = z.strictObject({ ...what, expires: time.optional() });

/** `memory.share` */
export function memoryShare({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.share',
    summary: 'Let another agent read a memory of yours and all that lies below its key',
    schema: shareSchema,
    effect: 'write',
    repeatable: true,
    // All that lies below the key is given with it.
    deeds: (args) => [deedBelow(args, 'share')],
    async run({ with: to, expires, ...said }, { principal }) {
      const grant = await memory.share({ place: placeOf(principal, said), to, expires }, principal);
      return { key: said.key, scope: said.scope, with: to, grant: grant.id };
    },
  });
}

const unshareSchema = z.strictObject({
  ...what,
  of: agentName.optional().describe('Whose memory it is, where the owner takes it back'),
});

/** `memory.unshare` */
export function memoryUnshare({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.unshare',
    summary: 'Take back what you have shared with another agent',
    schema: unshareSchema,
    effect: 'write',
    // Whoever gave it may take it back, whether or not they may still share.
    deeds: () => [],
    async run({ with: to, ...said }, { principal }) {
      const taken = await memory.unshare({ place: placeOf(principal, said), to }, principal);
      return { key: said.key, scope: said.scope, with: to, revoked: taken.map(({ id }) => id) };
    },
  });
}

/** `memory.shares` */
export function memoryShares({ memory }: MemoryToolDeps): Tool {
  return defineTool({
    name: 'memory.shares',
    summary: 'List what you have shared, and with whom',
    schema: z.strictObject({}),
    effect: 'read',
    deeds: () => [],
    async run(_args, { principal }) {
      const grants = await memory.shares(principal);
      const shares = grants.map(({ id, principal: holder, capability, granted_by }) => ({
        ...{ grant: id, with: holder.replace(/^agent:/, ''), capability, by: granted_by },
      }));
      return { shares };
    },
  });
}
