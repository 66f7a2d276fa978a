import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface PrincipalRow {
  /** `owner`, `agent:NAME`, or what a grantee is known by. */
  readonly id: string;
  readonly kind: 'agent' | 'human' | 'grantee';
  readonly address: string;
  /** Compressed, as 0x hex; empty while only the address of a grantee is known. */
  readonly public_key: string;
  readonly created_at: Instant;
}

const columns = 'id, kind, address, public_key, created_at';

/** An id or an address that is taken is a failure: each has one key, made once. */
export async function insertPrincipal(tx: Transaction, principal: PrincipalRow): Promise<void> {
  const { id, kind, address, public_key, created_at } = principal;
  await tx.run(`insert into principals (${columns}) values ($1, $2, $3, $4, $5)`, [
    id,
    kind,
    address,
    public_key,
    created_at,
  ]);
}

/** False when it was known before. */
export async function learnPublicKey(
  tx: Transaction,
  id: string,
  publicKey: string,
): Promise<boolean> {
  const changed = await tx.run(
    `update principals set public_key = $2 where id = $1 and public_key = ''`,
    [id, publicKey],
  );
  return changed === 1;
}

export function findPrincipal(sql: Sql, id: string): Promise<PrincipalRow | undefined> {
  return sql.get(`select ${columns} from principals where id = $1`, [id]);
}

/** The address with its checksum, as recovered from a signature. */
export function findPrincipalByAddress(
  sql: Sql,
  address: string,
): Promise<PrincipalRow | undefined> {
  return sql.get(`select ${columns} from principals where address = $1`, [address]);
}
