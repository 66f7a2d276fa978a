/** What the tools for messages take alike. The rest is checked by kernel/message/check.ts. */
import * as z from 'zod';
import type { Deed } from '../../kernel/capability/capability.ts';
import { AosError } from '../../kernel/errors.ts';
import { messageLimits, parseAddress, priorities } from '../../kernel/message/message.ts';

export const to = z
  .string()
  .max(100)
  .refine(isAddress, 'No message can be sent there')
  .describe('A name, "*", "#channel", "Lead", "owner" or "__orchestrator__"');

export const body = z.string().max(messageLimits.wholeBytes);
export const thread = z.optional(z.string().max(200));
export const priority = z.optional(
  z.int().min(priorities.highest).max(priorities.lowest).describe('0 comes first; 5 is usual'),
);

export function sendingTo(name: string): Deed {
  return { resource: 'message', action: 'send', name };
}

// Here already: what is no address could be no part of a capability either.
function isAddress(text: string): boolean {
  try {
    parseAddress(text);
    return true;
  } catch (failure) {
    if (failure instanceof AosError) return false;
    throw failure;
  }
}
