/** Channels, the Lead and subscriptions: names that stand for several, or for one who changes. */

import { AosError } from '../kernel/errors.ts';
import { checkChannel } from '../kernel/message/message.ts';
import { quote } from '../kernel/text/quote.ts';
import { findAgent, presenceOf } from '../ledger/agents.ts';
import { type Sql, type Transaction, writeState } from '../ledger/ledger.ts';
import {
  endSubscriptionQueue,
  type Queue,
  readdress,
  waitingSize,
} from '../ledger/messages/deliveries.ts';
import { growMailbox } from '../ledger/messages/messages.ts';
import {
  allMembers,
  joinChannel,
  leaveChannel,
  type SubscriptionRow,
  subscribe,
  subscriptionsOf,
  unsubscribe,
} from '../ledger/messages/subscriptions.ts';
import type { RelayCore } from './deps.ts';
import { currentLead, leadKey, leadName } from './mail.ts';
import type { Groups, Subscription } from './relay.ts';

export interface GroupDeps {
  readonly core: RelayCore;
  wake(queue: Queue): void;
}

export function openGroups(deps: GroupDeps): Groups {
  const { ledger, clock } = deps.core;
  return {
    join: (channel, agent, actor) =>
      changeMembers(deps, { channel, agent, actor, kind: 'channel.joined' }, (tx) =>
        joinChannel(tx, { channel, agent, at: clock.now() }),
      ),
    leave: (channel, agent, actor) =>
      changeMembers(deps, { channel, agent, actor, kind: 'channel.left' }, (tx) =>
        leaveChannel(tx, channel, agent),
      ),
    channels: () => channels(ledger.committed),
    lead: () => currentLead(ledger.committed),
    setLead: (name, actor) => setLead(deps, name, actor),
    subscribe: (agent, eventType, actor) => addSubscription(deps, { agent, eventType, actor }),
    unsubscribe: (agent, eventType, actor) => endSubscription(deps, { agent, eventType, actor }),
    subscriptions: async (agent) =>
      (await subscriptionsOf(ledger.committed, agent)).map(subscriptionOf),
  };
}

interface Membership {
  readonly channel: string;
  readonly agent: string;
  readonly actor: string;
  readonly kind: string;
}

async function changeMembers(
  { core }: GroupDeps,
  { channel, agent, actor, kind }: Membership,
  change: (tx: Transaction) => Promise<boolean>,
): Promise<boolean> {
  checkChannel(channel);
  return core.ledger.transact(async (tx) => {
    await refuseUnknown(tx, agent);
    const changed = await change(tx);
    const data = { channel };
    if (changed) await tx.record({ actor, kind, subject: `agent:${agent}`, data });
    return changed;
  });
}

async function refuseUnknown(sql: Sql, agent: string): Promise<void> {
  if ((await findAgent(sql, agent)) !== undefined) return;
  throw new AosError('agent.unknown', {
    message: `There is no agent ${quote(agent.slice(0, 80))}`,
    fix: '"aos audit --kind agent.registered" lists those that were registered',
  });
}

async function refuseTerminated(sql: Sql, agent: string): Promise<void> {
  if ((await presenceOf(sql, agent)) !== 'terminated') return;
  throw new AosError('message.no-recipient', {
    message: `Agent ${quote(agent)} was terminated and cannot be Lead`,
    fix: 'Name an agent that is there: aos lead set NAME',
  });
}

async function channels(sql: Sql) {
  const byChannel = new Map<string, string[]>();
  for (const { channel, agent } of await allMembers(sql)) {
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), agent]);
  }
  return [...byChannel].map(([channel, agents]) => ({ channel, agents }));
}

/** Whatever has waited for a Lead goes to the new one. */
async function setLead({ core, wake }: GroupDeps, name: string, actor: string) {
  const released = await core.ledger.transact(async (tx) => {
    await refuseUnknown(tx, name);
    await refuseTerminated(tx, name);
    if (name !== leadName && (await currentLead(tx)) === leadName) throw leadTaken(name);
    await writeState(tx, leadKey, name, core.clock.now());
    const waiting = await waitingSize(tx, leadName);
    // Who carries the name is Lead: what waits for that agent is no other agent's.
    const isHeld = (await currentLead(tx)) === name && name !== leadName;
    const moved = isHeld ? await readdress(tx, { from: leadName, to: name }) : 0;
    if (moved > 0) {
      const { messages, bytes } = waiting;
      await growMailbox(tx, leadName, { messages: -messages, bytes: -bytes });
      await growMailbox(tx, name, { messages, bytes });
    }
    await tx.record({ actor, kind: 'lead.set', subject: `agent:${name}`, data: { moved } });
    return moved;
  });
  wake({ recipient: name, subscription: 0 });
  return { released };
}

function leadTaken(name: string): AosError {
  return new AosError('lead.taken', {
    message: `${quote(name)} cannot be Lead while an agent is called Lead: messages to Lead go there`,
    fix: 'aos send Lead …',
  });
}

interface Wanted {
  readonly agent: string;
  readonly eventType: string;
  readonly actor: string;
}

const eventTypes = /^(?:\*|[a-z0-9-]+(?:\.[a-z0-9-]+)*(?:\.\*)?)$/;
const longestEventType = 100;

function checkEventType(eventType: string): void {
  if (eventTypes.test(eventType) && eventType.length <= longestEventType) return;
  throw new AosError('message.malformed', {
    message: `${quote(eventType.slice(0, 80))} is no type of events`,
    fix: 'Write small letters, digits and "-", with dots between, such as build.done, build.* or *',
  });
}

async function addSubscription(
  { core }: GroupDeps,
  { agent, eventType, actor }: Wanted,
): Promise<Subscription> {
  checkEventType(eventType);
  return core.ledger.transact(async (tx) => {
    await refuseUnknown(tx, agent);
    const row = await subscribe(tx, { agent, eventType, at: core.clock.now() });
    const data = { event_type: eventType };
    const kind = 'subscription.made';
    if (row.isNew) await tx.record({ actor, kind, subject: `agent:${agent}`, data });
    return subscriptionOf(row);
  });
}

/** What it has not worked off goes into the inbox. */
async function endSubscription(
  { core, wake }: GroupDeps,
  { agent, eventType, actor }: Wanted,
): Promise<boolean> {
  const ended = await core.ledger.transact(async (tx) => {
    const id = await unsubscribe(tx, agent, eventType);
    if (id === undefined) return false;
    await endSubscriptionQueue(tx, agent, id);
    const data = { event_type: eventType };
    await tx.record({ actor, kind: 'subscription.ended', subject: `agent:${agent}`, data });
    return true;
  });
  if (ended) wake({ recipient: agent, subscription: 0 });
  return ended;
}

function subscriptionOf({ id, agent, event_type, cursor }: SubscriptionRow): Subscription {
  return { id, agent, eventType: event_type, cursor };
}
