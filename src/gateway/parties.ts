/** As whom a caller sends, reads and settles. The owner may act for any agent. */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/quote.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Sql } from '../ledger/ledger.ts';
import { ownerParty, type Party } from '../relay/envelope.ts';
import { unknownAgent } from '../security/renew-handle.ts';
import type { Caller } from './authenticate.ts';

/** Who is meant by a `from`, `as` or `agent` that may be left out. */
export async function actingParty(
  sql: Sql,
  caller: Caller,
  named: string | undefined,
): Promise<Party> {
  if (caller.kind === 'agent') {
    if (named === undefined || named === caller.name) return caller.name;
    throw notOneself(caller.name, named);
  }
  if (named === undefined || named === ownerParty) return ownerParty;
  return knownAgent(sql, named);
}

/** Whose inbox a path names. To an agent all others are unknown. */
export async function inboxParty(sql: Sql, caller: Caller, name: string): Promise<Party> {
  if (caller.kind === 'agent') {
    if (name === caller.name) return name;
    throw unknownAgent(name);
  }
  return name === ownerParty ? ownerParty : knownAgent(sql, name);
}

/** The same for what only agents do: the owner has to name one. */
export async function actingAgent(
  sql: Sql,
  caller: Caller,
  named: string | undefined,
): Promise<string> {
  if (caller.kind === 'owner' && named === undefined) {
    throw new AosError('gateway.bad-request', {
      message: 'Only an agent can do this, and none is named',
      fix: 'Name one with "agent"',
    });
  }
  return caller.kind === 'owner' ? knownAgent(sql, named ?? '') : actingParty(sql, caller, named);
}

async function knownAgent(sql: Sql, name: string): Promise<string> {
  const found = await findAgent(sql, name);
  if (found === undefined) throw unknownAgent(name);
  return found.name;
}

function notOneself(caller: string, named: string): AosError {
  return new AosError('message.denied', {
    message: `Agent ${quote(caller)} may not act for ${quote(named.slice(0, 100))}`,
    fix: 'Leave the name out: it is known who is calling',
  });
}
