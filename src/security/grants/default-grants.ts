import type { GrantChanges } from './grants.ts';

/**
 * What somebody holds without anybody having given it. The owner needs no grant; a guest may
 * send messages and nothing else; an agent that was spawned gets what its parent delegates,
 * and nothing of that by itself.
 */
const defaultGrants = { guest: ['message:*:send'], spawned: [] } as const;

export async function giveDefaults(
  changes: GrantChanges,
  principal: string,
  kind: keyof typeof defaultGrants,
): Promise<void> {
  for (const capability of defaultGrants[kind]) {
    const facts = { parent: null, granted_by: 'system', origin: 'default', asks: 0 } as const;
    await changes.give({ principal, capability, ...facts });
  }
}
