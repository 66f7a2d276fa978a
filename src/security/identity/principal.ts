import { join } from 'node:path';

/** Who has a key in the home folder; `agents` is the one that others are derived from. */
export type PrincipalId = 'owner' | 'agents' | `agent:${string}`;

/** A principal that can sign. The secret stays inside. */
export interface Signer {
  readonly address: string;
  sign(text: string): string;
}

export function keysFolder(home: string): string {
  return join(home, 'keys');
}

/**
 * `keys/owner.key`, `keys/agent-jean.key`. On a disk that does not tell large letters
 * from small ones two names would share a file: registration refuses the second name,
 * and the file says whose it is.
 */
export function keyPath(folder: string, principal: PrincipalId): string {
  return join(folder, `${principal.replace(':', '-')}.key`);
}
