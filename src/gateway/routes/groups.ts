import type { Subscription } from '../../relay/relay.ts';
import { type Answer, routes } from '../contract/contract.ts';
import { actingAgent } from '../server/authenticate.ts';
import { tooLarge } from '../server/problem.ts';
import { type AskedRange, sendRange } from '../streams/send-range.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { noAttachment } from './views/message-wire.ts';
import { pageBehind } from './views/rows.ts';

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

/** Bytes that are too large to stand in a message, as streams both ways. */
export function attachmentRoutes(deps: RouteDeps): Handles<'putAttachment' | 'attachment'> {
  const { attachments } = deps;
  return {
    putAttachment: async ({ caller, request }) => {
      const { hash, sizeBytes } = await attachments.put(caller.id, bounded(request.raw));
      return { hash, bytes: sizeBytes };
    },
    attachment: (call) => bytes(deps, call),
  };
}

async function bytes(deps: RouteDeps, call: Call<'attachment'>) {
  const { attachments } = deps;
  const { caller, params } = call;
  const { hash } = params;
  const mayRead = caller.kind === 'owner' || (await attachments.mayRead(caller.id, hash));
  if (!mayRead) throw noAttachment(hash);
  // Nothing is opened before the client reads.
  const { sizeBytes } = await attachments.open(hash);
  const open = async (part: AskedRange) => (await attachments.open(hash, part)).stream;
  return sendRange(deps, call, { hash, sizeBytes, open });
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let sizeBytes = 0;
  for await (const bytes of source) {
    sizeBytes += bytes.length;
    if (sizeBytes > routes.putAttachment.bodyBytes) throw tooLarge();
    yield bytes;
  }
}
