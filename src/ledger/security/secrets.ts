/** Secrets: where each may be used, and its value, which is sealed. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

/** Where a request may carry a secret; null where none may. */
export interface SecretBinding {
  readonly host: string | null;
  readonly port: number | null;
  readonly header: string | null;
  /** What stands before the value in the header. */
  readonly prefix: string;
}

/** All that is told of a secret. */
export interface SecretFacts extends SecretBinding {
  readonly name: string;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

export interface SealedSecret extends SecretBinding {
  readonly name: string;
  readonly sealed: Uint8Array;
}

/** Takes the place of a secret of the same name. */
export async function putSecret(
  tx: Transaction,
  secret: SealedSecret,
  now: Instant,
): Promise<void> {
  const { name, sealed, host, port, header, prefix } = secret;
  await tx.run(
    `insert into secrets (name, sealed, host, port, header, prefix, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)
     on conflict (name) do update set sealed = excluded.sealed, host = excluded.host,
       port = excluded.port, header = excluded.header, prefix = excluded.prefix,
       updated_at = excluded.updated_at`,
    [name, sealed, host, port, header, prefix, now],
  );
}

export async function hasSecret(sql: Sql, name: string): Promise<boolean> {
  return (await sql.get('select 1 from secrets where name = $1', [name])) !== undefined;
}

/** False when there is none of that name. */
export async function deleteSecret(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.run('delete from secrets where name = $1', [name])) === 1;
}

export function listSecrets(sql: Sql): Promise<SecretFacts[]> {
  return sql.all(
    'select name, host, port, header, prefix, created_at, updated_at from secrets order by name',
  );
}

export function sealedSecrets(sql: Sql): Promise<SealedSecret[]> {
  return sql.all('select name, sealed, host, port, header, prefix from secrets order by name');
}
