/** Who gets a message. */

import { AosError } from '../kernel/errors.ts';
import { type Address, type Message, parseAddress } from '../kernel/message/message.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import { activeAgentNames, presenceOf } from '../ledger/agents.ts';
import { readState, type Sql } from '../ledger/ledger.ts';
import { activeMembers, allSubscriptions } from '../ledger/messages/subscriptions.ts';
import { ownerParty, type Party, type Recipient } from './envelope.ts';

export type MessageRoute =
  | { readonly kind: 'to'; readonly recipients: readonly Recipient[] }
  /** No agent is Lead: it waits under that name. */
  | { readonly kind: 'held' }
  | { readonly kind: 'orchestrator' };

/** Under which name messages wait for a Lead, and who carries it is one. */
export const leadName = 'Lead';
export const leadKey = 'lead';

/** Throws an AosError when the message could reach no recipient. */
export async function route(sql: Sql, sender: Party, message: Message): Promise<MessageRoute> {
  const address = parseAddress(message.to);
  switch (address.kind) {
    case 'orchestrator':
      return { kind: 'orchestrator' };
    case 'owner':
      return to([ownerParty]);
    case 'agent':
      return to([await presentAgent(sql, address.name)]);
    case 'lead': {
      const lead = await currentLead(sql);
      return lead === undefined ? { kind: 'held' } : to([lead]);
    }
    case 'everybody':
    case 'channel':
      return { kind: 'to', recipients: await members(sql, sender, { address, message }) };
  }
}

/** Who is Lead now: the agent of that name, else the one who was set. */
export async function currentLead(sql: Sql): Promise<string | undefined> {
  const namesake = await presenceOf(sql, leadName);
  if (namesake !== undefined && namesake !== 'terminated') return leadName;
  const named = await readState(sql, leadKey);
  if (named === undefined || (await presenceOf(sql, named)) === 'terminated') return undefined;
  return named;
}

async function presentAgent(sql: Sql, name: string): Promise<string> {
  const presence = await presenceOf(sql, name);
  if (presence === undefined) {
    const near = didYouMean(name, await activeAgentNames(sql));
    throw noRecipient(`There is no agent ${quote(name)}.${near}`, `aos register ${name}`);
  }
  if (presence === 'terminated') {
    throw noRecipient(`Agent ${quote(name)} was terminated`, `aos register ${name}`);
  }
  return name;
}

async function members(
  sql: Sql,
  sender: Party,
  { address, message }: { readonly address: Address; readonly message: Message },
): Promise<readonly Recipient[]> {
  const named =
    address.kind === 'channel'
      ? await activeMembers(sql, address.channel)
      : await activeAgentNames(sql);
  const others = named.filter((name) => name !== sender);
  const recipients =
    message.kind === 'event' ? await subscribed(sql, others, message.eventType) : inboxOf(others);
  if (recipients.length > 0) return recipients;
  if (address.kind !== 'channel') throw noRecipient('There is nobody else who could get it');
  throw noRecipient(
    `Nobody else is in the channel ${address.channel}`,
    `aos channel join ${address.channel} NAME`,
  );
}

/**
 * An agent that has subscribed to types of events gets those, through the subscription, and no
 * others; other agents find events in the inbox.
 */
async function subscribed(
  sql: Sql,
  names: readonly string[],
  eventType: string | undefined,
): Promise<readonly Recipient[]> {
  const subscribers = new Set<string>();
  const recipients: Recipient[] = [];
  const among = new Set(names);
  for (const { agent, event_type, id } of await allSubscriptions(sql)) {
    if (!among.has(agent)) continue;
    const isFirst = !recipients.some(({ name }) => name === agent);
    subscribers.add(agent);
    if (isFirst && covers(event_type, eventType))
      recipients.push({ name: agent, subscription: id });
  }
  return [...inboxOf(names.filter((name) => !subscribers.has(name))), ...recipients];
}

/** `disk.*` covers `disk.full`, `*` everything. */
function covers(pattern: string, eventType: string | undefined): boolean {
  if (pattern === '*') return true;
  if (eventType === undefined) return false;
  return pattern.endsWith('.*')
    ? eventType.startsWith(pattern.slice(0, -1))
    : pattern === eventType;
}

function to(names: readonly string[]): MessageRoute {
  return { kind: 'to', recipients: inboxOf(names) };
}

function inboxOf(names: readonly string[]): readonly Recipient[] {
  return names.map((name) => ({ name, subscription: 0 }));
}

function noRecipient(message: string, fix?: string): AosError {
  return new AosError('message.no-recipient', { message, fix });
}
