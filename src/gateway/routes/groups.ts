import type { Subscription } from '../../relay/relay.ts';
import type { Answer } from '../contract/contract.ts';
import { actingAgent } from '../server/parties.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { pageBehind } from './views/list-page.ts';

type GroupRoute =
  | 'channels'
  | 'joinChannel'
  | 'leaveChannel'
  | 'lead'
  | 'setLead'
  | 'subscriptions'
  | 'subscribe'
  | 'unsubscribe';

/** Channels, who is `Lead`, and who gets which events. */
export function groupRoutes({ relay: { groups }, ledger }: RouteDeps): Handles<GroupRoute> {
  return {
    channels: async ({ caller, query }) => {
      const all = await groups.channels();
      const visible =
        caller.kind === 'owner' ? all : all.filter(({ agents }) => agents.includes(caller.name));
      const items = visible.map(({ channel, agents }) => ({ channel, agents: [...agents] }));
      return pageBehind(items, query, ({ channel }) => channel);
    },
    joinChannel: async ({ caller, params, body }) => {
      const agent = await actingAgent(ledger, caller, body.agent);
      const channel = `#${params.name}`;
      return { channel, agent, joined: await groups.join(channel, agent, caller.id) };
    },
    leaveChannel: async ({ caller, params, body }) => {
      const agent = await actingAgent(ledger, caller, body.agent);
      const channel = `#${params.name}`;
      return { channel, agent, left: await groups.leave(channel, agent, caller.id) };
    },
    lead: async () => ({ name: (await groups.lead()) ?? null }),
    setLead: async ({ caller, body: { name } }) => {
      const { released } = await groups.setLead(name, caller.id);
      return { name, released };
    },
    subscriptions: async ({ caller, query }) => {
      const agent = await actingAgent(ledger, caller, query.agent);
      const items = (await groups.subscriptions(agent)).map(wireSubscription);
      return pageBehind(items, query, ({ event_type }) => event_type);
    },
    subscribe: async ({ caller, body }) => {
      const agent = await actingAgent(ledger, caller, body.agent);
      return wireSubscription(await groups.subscribe(agent, body.event_type, caller.id));
    },
    unsubscribe: async ({ caller, body }) => {
      const agent = await actingAgent(ledger, caller, body.agent);
      return { removed: await groups.unsubscribe(agent, body.event_type, caller.id) };
    },
  };
}

function wireSubscription({ id, agent, eventType, cursor }: Subscription): Answer<'subscribe'> {
  return { id, agent, event_type: eventType, cursor };
}
