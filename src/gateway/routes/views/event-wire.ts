/** Rows of the ledger as they go over the wire. */
import type { Instant } from '../../../kernel/ports.ts';
import { timeText } from '../../../kernel/text/time-text.ts';
import type { SealedEvent, SignedHead } from '../../../ledger/events.ts';
import type { WireEvent, WireSignedHead } from '../../contract/contract.ts';

export function wireEvent(event: SealedEvent): WireEvent {
  const { seq, at, actor, kind, subject, data, data_digest, prev_hash, hash } = event;
  const facts = data === null ? null : factsOf(data);
  return { seq, at: timeText(at), actor, kind, subject, data: facts, data_digest, prev_hash, hash };
}

export function wireSignedHead({ at, ...head }: SignedHead): WireSignedHead {
  const { seq, hash, reason, signer, signature } = head;
  return { seq, hash, at: timeText(at), reason, signer, signature };
}

function factsOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // Edited by hand: `aos audit verify` names it, and it is shown as it stands.
    return data;
  }
}

export function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : timeText(at);
}

/** An agent's name, or what else a principal is known by. */
export function nameOf(principal: string): string {
  return principal.replace(/^(?:agent|grantee):/, '');
}
