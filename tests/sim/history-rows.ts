/** What the rows of the ledger must say of each other when everything is quiet. */
import type {
  EndDelivery,
  EndEvent,
  EndMessage,
  EndState,
  Expectations,
} from './message-history.ts';

const relayName = '__orchestrator__';

export function rowFindings(end: EndState, { reachable = [] }: Expectations): string[] {
  const byMessage = Map.groupBy(end.deliveries, ({ message_id }) => message_id);
  return [
    ...end.messages
      .filter(({ message_id }) => !byMessage.has(message_id))
      .map(({ message_id }) => `adrift: ${message_id} goes to nobody`),
    ...counterFindings(end),
    ...eventFindings(end, byMessage),
    ...toldFindings(end, byMessage),
    ...restFindings(end, new Set(reachable)),
  ];
}

function counterFindings({ deliveries, mailboxes }: EndState): string[] {
  const sizes = new Map<string, { pending: number; pending_bytes: number }>();
  const sizeOf = (recipient: string) => {
    const size = sizes.get(recipient) ?? { pending: 0, pending_bytes: 0 };
    sizes.set(recipient, size);
    return size;
  };
  for (const { recipient, state, size_bytes } of deliveries) {
    if (state !== 'accepted' && state !== 'delivered') continue;
    sizeOf(recipient).pending++;
    sizeOf(recipient).pending_bytes += size_bytes;
  }
  const counted = new Map(mailboxes.map((row) => [row.recipient, row]));
  const found: string[] = [];
  for (const recipient of new Set([...sizes.keys(), ...counted.keys()])) {
    const rows = sizeOf(recipient);
    const counter = counted.get(recipient) ?? { pending: 0, pending_bytes: 0 };
    if (rows.pending === counter.pending && rows.pending_bytes === counter.pending_bytes) continue;
    found.push(
      `miscounted: ${recipient} has ${rows.pending} unread (${rows.pending_bytes} bytes), and the counter says ${counter.pending} (${counter.pending_bytes})`,
    );
  }
  return found;
}

function eventFindings(
  { messages, events }: EndState,
  byMessage: ReadonlyMap<string, readonly EndDelivery[]>,
): string[] {
  const byId = Map.groupBy(events, ({ id }) => id);
  return messages.flatMap((message) => {
    const known = byId.get(message.message_id) ?? [];
    const deliveries = byMessage.get(message.message_id) ?? [];
    return [
      ...beginning(message, known),
      ...deliveries.flatMap((delivery) => transitions(message, delivery, known)),
    ];
  });
}

function beginning({ message_id, agent_name }: EndMessage, events: readonly EndEvent[]): string[] {
  if (agent_name === relayName) return [];
  const kinds = ['message.accepted', 'message.held', 'message.refused'];
  const count = events.filter(({ kind }) => kinds.includes(kind)).length;
  return count === 1 ? [] : [`events: ${message_id} has ${count} events of being accepted`];
}

function transitions(
  { message_id, status }: EndMessage,
  { recipient, state, via }: EndDelivery,
  events: readonly EndEvent[],
): string[] {
  const count = (kind: string, ended?: string): number =>
    events.filter(
      (event) => event.kind === kind && event.to === recipient && (!ended || event.state === ended),
    ).length;
  const found: string[] = [];
  const want = (holds: boolean, what: string): void => {
    if (!holds) found.push(`events: ${message_id} to ${recipient} is ${state}, ${what}`);
  };
  if (via === 'inbox' || via === 'push') {
    want(count('message.delivered') > 0, 'and no event says that it was delivered');
  }
  if (state === 'read' && via !== 'relay') {
    want(count('message.read') === 1, `and ${count('message.read')} events say that it was read`);
  }
  if (state === 'acked') want(count('message.settled', 'acked') === 1, 'and no event says so');
  if (state === 'expired') want(count('message.expired') === 1, 'and no event says so');
  if (state === 'dead' && status !== 'failed') {
    const said = count('message.dead') + count('message.settled', 'dead');
    want(said === 1, `and ${said} events say so`);
  }
  return found;
}

/** Whoever sent what expired or died hears of it, once. */
function toldFindings(
  { messages }: EndState,
  byMessage: ReadonlyMap<string, readonly EndDelivery[]>,
): string[] {
  const nacks = Map.groupBy(
    messages.filter(({ message_type }) => message_type === 'nack'),
    ({ re }) => re ?? '',
  );
  return messages.filter(isToldOf).flatMap((message) => {
    const told = nacks.get(message.message_id) ?? [];
    const bad = (byMessage.get(message.message_id) ?? []).filter(
      ({ state }) => state === 'expired' || state === 'dead',
    );
    return bad.flatMap((delivery) => untold(message, delivery, told));
  });
}

// Acks about acks would have no end.
function isToldOf({ agent_name, message_type, status }: EndMessage): boolean {
  if (agent_name === relayName) return false;
  return status === 'failed' || (message_type !== 'ack' && message_type !== 'nack');
}

function untold(
  { message_id, agent_name, status }: EndMessage,
  { recipient, state, error }: EndDelivery,
  nacks: readonly EndMessage[],
): string[] {
  const toSender = nacks.filter(({ target }) => target === agent_name);
  if (error?.startsWith(`${recipient} refused it`) === true) {
    // By the recipient itself, who may say it again.
    const count = toSender.filter((nack) => nack.agent_name === recipient).length;
    return count > 0 ? [] : [`untold: ${agent_name} got no nack of ${recipient} for ${message_id}`];
  }
  const ofRelay = toSender.filter((nack) => nack.agent_name === relayName);
  const about = ofRelay.filter(
    ({ body }) => status === 'failed' || body.startsWith(`Your message to ${recipient} `),
  );
  if (about.length === 1) return [];
  return [
    `untold: ${agent_name} was told ${about.length} times that ${message_id} to ${recipient} is ${state}`,
  ];
}

function restFindings({ deliveries }: EndState, reachable: ReadonlySet<string>): string[] {
  return deliveries.flatMap(({ message_id, recipient, state, owner }) => {
    if (owner !== null) return [`held: ${message_id} to ${recipient} is held by ${owner}`];
    if (state !== 'accepted' || !reachable.has(recipient)) return [];
    return [`stuck: ${message_id} waits for ${recipient}, and nothing keeps it`];
  });
}
