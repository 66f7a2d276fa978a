import type { GrantChanges } from './grants.ts';

/**
 * What a principal holds without having been given it. The owner needs no grant; an agent that
 * the owner has registered may send messages and files; a guest that made its own folder, and
 * a program that another agent has spawned, may send messages and nothing else; a model agent
 * that was spawned gets what its parent delegates, and nothing of that by itself.
 */
const defaultGrants = {
  registered: ['message:*:send', 'transfer:*:send'],
  guest: ['message:*:send'],
  spawned: [],
} as const;

/** By who has made it. */
export function defaultsFor(actor: string): 'registered' | 'guest' {
  return actor === 'owner' ? 'registered' : 'guest';
}

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
