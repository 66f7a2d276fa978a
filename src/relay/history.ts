/** The whole path of a message, from the rows and from what events tell beyond them. */
import { isAnswer } from '../kernel/message/text.ts';
import type { Instant } from '../kernel/ports.ts';
import { eventsOfMessage } from '../ledger/events.ts';
import type { Sql } from '../ledger/ledger.ts';
import { type DeliveryRow, deliveriesOf } from '../ledger/messages/deliveries.ts';
import { answersTo, findMessage, type MessageRow } from '../ledger/messages/messages.ts';
import { relayName } from './envelope.ts';
import type { DeliveryHistory, HistoryStep, MessageHistory } from './relay.ts';

export async function readHistory(sql: Sql, id: string): Promise<MessageHistory | undefined> {
  const message = await findMessage(sql, id);
  if (message === undefined) return undefined;
  const deliveries = await deliveriesOf(sql, message.id);
  const steps = [
    ...stepsOfMessage(message),
    ...deliveries.flatMap((delivery) => stepsOfDelivery(message, delivery)),
    ...(await stepsOfEvents(sql, id)),
    ...(await stepsOfAnswers(sql, message)),
  ];
  return {
    id,
    from: message.agent_name,
    to: message.target,
    kind: message.message_type,
    status: message.status,
    error: wasRefused(message) ? (message.last_error ?? undefined) : undefined,
    sizeBytes: message.size_bytes,
    sourceName: message.source_name ?? undefined,
    thread: message.thread ?? undefined,
    re: message.re ?? undefined,
    deliveries: deliveries.map(deliveryHistory),
    // Equal moments stay in the order above, which is the order in which they can happen.
    steps: steps.sort((one, other) => one.at - other.at),
  };
}

/** Else it was accepted, whatever became of its file. */
function wasRefused({ status, last_error }: MessageRow): boolean {
  return status === 'failed' && last_error !== 'file_disappeared';
}

function deliveryHistory(row: DeliveryRow): DeliveryHistory {
  const { recipient, state, attempts, via, error } = row;
  return { recipient, state, attempts, via: via ?? undefined, error: error ?? undefined };
}

function stepsOfMessage(message: MessageRow): HistoryStep[] {
  const { discovered_at: at, source_name, status, last_error, processed_at } = message;
  const way = source_name === null ? '' : ` as the file ${source_name}.msg`;
  const from =
    message.agent_name === relayName ? 'made by the relay' : `from ${message.agent_name}`;
  if (wasRefused(message)) {
    return [{ at, what: `came ${from}${way} and was refused: ${last_error}` }];
  }
  const steps = [{ at, what: `accepted ${from}${way}` }];
  if (status === 'archived' && processed_at !== null) {
    steps.push({ at: processed_at, what: 'its file was moved to the archive' });
  }
  if (last_error === 'file_disappeared' && processed_at !== null) {
    steps.push({ at: processed_at, what: 'its file had disappeared from the outbox' });
  }
  return steps;
}

const ways: Readonly<Record<string, string>> = {
  inbox: ' as a file in its inbox',
  push: ' over its open connection',
  pull: '',
  relay: '',
  injected: ' by typing it into its terminal',
};

function stepsOfDelivery(message: MessageRow, row: DeliveryRow): HistoryStep[] {
  const { recipient: to, state, delivered_at, read_at, ended_at, via } = row;
  if (wasRefused(message)) return [];
  const steps: HistoryStep[] = [];
  const add = (at: Instant | null, what: string): void => {
    if (at !== null) steps.push({ at, what });
  };
  if (delivered_at !== read_at || via !== 'pull') {
    add(delivered_at, `delivered to ${to}${ways[via ?? ''] ?? ''}`);
  }
  add(read_at, to === relayName ? 'taken by the orchestrator' : `read by ${to}`);
  if (state === 'acked') add(ended_at, `acknowledged by ${to}`);
  if (state === 'expired') add(ended_at, `expired for ${to}: ${row.error}`);
  if (state === 'dead') add(ended_at, `dead for ${to}: ${row.error}`);
  return steps;
}

async function stepsOfEvents(sql: Sql, id: string): Promise<HistoryStep[]> {
  const events = await eventsOfMessage(sql, id);
  return events.flatMap(({ at, kind, data }) => {
    const what = wordsOfEvent(kind, data);
    return what === undefined ? [] : [{ at, what }];
  });
}

/** Written by us, in the transaction that it tells of; null once it was erased. */
interface EventFacts {
  readonly to?: string;
  readonly attempt?: number;
  readonly reason?: string;
  readonly due_at?: Instant;
}

function wordsOfEvent(kind: string, data: string | null): string | undefined {
  const { to, attempt, reason, due_at } = JSON.parse(data ?? '{}') as EventFacts;
  switch (kind) {
    case 'message.retried': {
      const next = due_at === undefined ? '' : `; next try ${new Date(due_at).toISOString()}`;
      return `try ${attempt} for ${to} failed: ${reason}${next}`;
    }
    case 'message.returned':
      return `${to} left without reading it; it waits again`;
    case 'message.held':
      return 'held until somebody is Lead';
    default:
      return undefined;
  }
}

async function stepsOfAnswers(sql: Sql, message: MessageRow): Promise<HistoryStep[]> {
  const answers = await answersTo(sql, message.message_id);
  return answers.map(({ discovered_at: at, agent_name, message_type, message_id }) => ({
    at,
    what:
      agent_name === relayName
        ? `${message.agent_name} was told by ${message_type} ${message_id}`
        : `${agent_name} ${isAnswer(message_type) ? 'answered' : 'referred to it'} with ${message_type} ${message_id}`,
  }));
}
