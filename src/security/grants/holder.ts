/** Who is meant by a name to whom something is granted: an agent, or an outsider by its address. */
import { granteeOf } from '../../kernel/agent/operation.ts';
import type { Instant } from '../../kernel/ports.ts';
import { findAgent } from '../../ledger/agents.ts';
import type { Sql, Transaction } from '../../ledger/ledger.ts';
import { findPrincipalByAddress, insertPrincipal } from '../../ledger/security/principals.ts';
import { checksummed } from '../identity/address.ts';
import { unknownAgent } from '../renew-handle.ts';

/** The principal; throws where there is no such agent. Of an outsider nothing need be known. */
export async function holderOf(sql: Sql, name: string): Promise<string> {
  const address = checksummed(name);
  if (address === undefined) {
    if ((await findAgent(sql, name)) === undefined) throw unknownAgent(name);
    return `agent:${name}`;
  }
  return (await findPrincipalByAddress(sql, address))?.id ?? granteeOf(address);
}

/** The same, and known from now on: by the address, until a signature tells the key. */
export async function makeHolder(tx: Transaction, name: string, at: Instant): Promise<string> {
  const holder = await holderOf(tx, name);
  const address = checksummed(name);
  if (address !== undefined && (await findPrincipalByAddress(tx, address)) === undefined) {
    const facts = { kind: 'grantee', address, public_key: '', created_at: at } as const;
    await insertPrincipal(tx, { id: holder, ...facts });
  }
  return holder;
}
