/**
 * The one question before anything is done for somebody: may they? Until grants are rows,
 * a fixed policy answers: everybody may send messages, and only the owner may do more.
 */
import type { Sql } from '../ledger/ledger.ts';

export interface Wish {
  /** `owner`, `system` or `agent:NAME`. */
  readonly principal: string;
  readonly resource: 'message' | 'agent';
  /** What of it: the address of a message, the name of an agent. */
  readonly name: string;
  readonly action: 'send' | 'spawn' | 'release';
}

export type Decision =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly why: string };

export async function authorize(_sql: Sql, wish: Wish): Promise<Decision> {
  const { principal, resource, name, action } = wish;
  if (principal === 'owner' || principal === 'system') return allowed;
  if (resource === 'message' && action === 'send') return allowed;
  return { kind: 'denied', why: `it would need the capability ${resource}:${name}:${action}` };
}

const allowed: Decision = { kind: 'allowed' };
