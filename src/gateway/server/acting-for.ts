/** As whom a caller sends, reads and settles. The owner may act for any agent. */

import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent } from '../../ledger/agents.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import { ownerParty, type Party } from '../../relay/envelope.ts';
import { unknownAgent } from '../../security/register.ts';
import type { HomeCaller } from './authenticate.ts';

export type ActingLedger = Pick<Ledger, 'committed' | 'transact'>;

/** Who is meant by a `from`, `as` or `agent` that may be left out. */
export async function actingParty(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<Party> {
  if (caller.kind === 'agent') {
    if (named === undefined || named === caller.name) return caller.name;
    await recordPretence(ledger, caller, named);
    throw notOneself(caller.name, named);
  }
  if (named === undefined || named === ownerParty) return ownerParty;
  return knownAgent(ledger.committed, named);
}

/** Like actingParty(), but as a principal: `owner` or `agent:NAME`. */
export async function actingPrincipal(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string> {
  const party = await actingParty(ledger, caller, named);
  return party === ownerParty ? 'owner' : `agent:${party}`;
}

/** Of whom a list is: an agent's own, or for the owner of whom it names. */
export async function whose(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string | undefined> {
  if (caller.kind === 'owner' && named === undefined) return undefined;
  return actingPrincipal(ledger, caller, named);
}

/** Whose inbox a path names. To an agent all others are unknown. */
export async function inboxParty(sql: Sql, caller: HomeCaller, name: string): Promise<Party> {
  if (caller.kind === 'agent') {
    if (name === caller.name) return name;
    throw unknownAgent(name);
  }
  return name === ownerParty ? ownerParty : knownAgent(sql, name);
}

/** Like actingPrincipal(), for what only agents do: the owner has to name one. */
export async function actingAgent(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string> {
  if (caller.kind === 'owner' && named === undefined) {
    throw new AosError('gateway.bad-request', {
      message: 'Only an agent can do this, and none is named',
      fix: 'Name one with "agent"',
    });
  }
  return caller.kind === 'owner'
    ? knownAgent(ledger.committed, must(named, 'The name of an agent'))
    : actingParty(ledger, caller, named);
}

async function knownAgent(sql: Sql, name: string): Promise<string> {
  const found = await findAgent(sql, name);
  if (found === undefined) throw unknownAgent(name);
  return found.name;
}

/** That a caller tried to act for another is on record, whichever way it came. */
function recordPretence(
  ledger: ActingLedger,
  { id: actor }: HomeCaller,
  named: string,
): Promise<void> {
  const subject = `agent:${named.slice(0, 100)}`;
  const data = { nearest: 'not-oneself' };
  return ledger.transact((tx) => tx.record({ actor, kind: 'capability.denied', subject, data }));
}

function notOneself(caller: string, named: string): AosError {
  return new AosError('message.denied', {
    message: `Agent ${quote(caller)} may not act for ${quote(named.slice(0, 100))}`,
    fix: 'Leave the name out: it is known who is calling',
  });
}
