/** What was signed and has come, so that it does not count a second time. */
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from './ledger.ts';

/** In the state of the ledger: what was signed before that moment is not taken. */
export const signaturesSince = 'signatures.since';

export interface SeenSignature {
  readonly signer: string;
  /** Of what was signed. */
  readonly digest: string;
  readonly expiresAt: Instant;
}

/** False when it has come before: of two at once, one is the first. */
export async function seeSignature(
  tx: Transaction,
  { signer, digest, expiresAt }: SeenSignature,
): Promise<boolean> {
  const inserted = await tx.run(
    `insert into seen_signatures (signer, digest, expires_at) values ($1, $2, $3)
     on conflict (signer, digest) do nothing`,
    [signer, digest, expiresAt],
  );
  return inserted === 1;
}

/** How many were forgotten. */
export function forgetSignaturesBefore(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  return tx.run(
    `delete from seen_signatures where (signer, digest) in (
       select signer, digest from seen_signatures where expires_at < $1 limit $2)`,
    [before, limit],
  );
}
