/** What was signed and has come, so that it does not count a second time. */
import type { Instant } from '../../kernel/ports.ts';
import type { Transaction } from '../ledger.ts';
import { readState, writeState } from '../state.ts';

/** In the state of the ledger: what was signed before that moment is not taken. */
export const signaturesSince = 'signatures.since';

export interface SeenSignature {
  readonly signer: string;
  /** Of what was signed. */
  readonly digest: string;
  readonly expiresAt: Instant;
}

/**
 * In the state of the ledger: the latest end of those that were forgotten. What ends by then may
 * be one of them, so it counts as seen: a clock that is set back makes none of them good again.
 */
const forgottenUpTo = 'signatures.forgotten';

/** False when it has come before, or may have: of two at once, one is the first. */
export async function seeSignature(
  tx: Transaction,
  { signer, digest, expiresAt }: SeenSignature,
): Promise<boolean> {
  if (expiresAt <= Number((await readState(tx, forgottenUpTo)) ?? 0)) return false;
  const inserted = await tx.run(
    `insert into seen_signatures (signer, digest, expires_at) values ($1, $2, $3)
     on conflict (signer, digest) do nothing`,
    [signer, digest, expiresAt],
  );
  return inserted === 1;
}

export interface Forgetting {
  /** Those that ended before. */
  readonly before: Instant;
  readonly limit: number;
  readonly now: Instant;
}

/** How many were forgotten: the oldest first, and more than the limit where they end at once. */
export async function forgetSignatures(
  tx: Transaction,
  { before, limit, now }: Forgetting,
): Promise<number> {
  const last = await tx.get<{ upTo: number | null }>(
    `select max(expires_at) as "upTo" from (
       select expires_at from seen_signatures where expires_at < $1
       order by expires_at limit $2)`,
    [before, limit],
  );
  const upTo = last?.upTo ?? null;
  if (upTo === null) return 0;
  const known = Number((await readState(tx, forgottenUpTo)) ?? 0);
  await writeState(tx, forgottenUpTo, String(Math.max(known, upTo)), now);
  return tx.run('delete from seen_signatures where expires_at <= $1', [upTo]);
}
