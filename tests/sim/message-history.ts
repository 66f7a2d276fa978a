/**
 * What those outside saw of the relay, and what the ledger says at the end: the two are
 * held against each other. Both are plain data, so that a simulated relay and a real daemon
 * are judged alike. A finding is a sentence; an empty list is the wanted answer.
 *
 * H1. Only what must hold is claimed. What a crash leaves open (was it accepted before the
 *     answer was lost?) is open here too.
 * H2. After a power cut a file that was taken out of an inbox may lie there again, as may one
 *     that was taken before a relay was there to see it; and one that was not read may come
 *     later than its successors. After a kill none of these may.
 */
import type { DeliveryRow } from '../../src/ledger/messages/deliveries.ts';
import type { MessageRow } from '../../src/ledger/messages/messages.ts';
import { appearanceFindings } from './history-appearances.ts';
import { rowFindings } from './history-rows.ts';

export type HistoryEntry =
  /** Somebody begins to send. No two have the same sender and body but repetitions of one. */
  | {
      readonly kind: 'sent';
      readonly key: string;
      readonly sender: string;
      readonly to: string;
      readonly priority: number;
      readonly body: string;
    }
  /** The relay has answered that it has it. */
  | { readonly kind: 'acknowledged'; readonly key: string; readonly id: string }
  /** A whole message file lies in an outbox, flushed: it is as good as acknowledged. */
  | { readonly kind: 'stored'; readonly key: string }
  /** The recipient sees it: an inbox file, a push, the answer to a pull. */
  | {
      readonly kind: 'appeared';
      readonly recipient: string;
      readonly id: string;
      readonly from: string;
      readonly body: string;
      /** Whoever changes between ways may see by one what is newer than what waits in another. */
      readonly way: 'inbox' | 'push' | 'pull';
    }
  /** The recipient is done with it: the file is taken away, or the relay answered that it is read. */
  | {
      readonly kind: 'read';
      readonly recipient: string;
      readonly id: string;
      readonly how: 'file' | 'call';
    }
  /** What the ledger said of a delivery at that moment. */
  | {
      readonly kind: 'observed';
      readonly recipient: string;
      readonly id: string;
      readonly state: string;
      readonly ended: boolean;
    }
  /** A relay runs and takes messages. */
  | { readonly kind: 'started' }
  | { readonly kind: 'killed' }
  | { readonly kind: 'power-cut' };

export type EndMessage = Pick<
  MessageRow,
  'message_id' | 'agent_name' | 'message_type' | 'target' | 'priority' | 'status' | 're' | 'body'
>;

export type EndDelivery = Pick<
  DeliveryRow,
  | 'id'
  | 'recipient'
  | 'state'
  | 'priority'
  | 'subscription'
  | 'size_bytes'
  | 'owner'
  | 'via'
  | 'error'
  | 'ended_at'
> & { readonly message_id: string };

export interface EndEvent {
  readonly kind: string;
  /** The id of the message. */
  readonly id: string;
  /** The recipient, where it is about one. */
  readonly to: string | undefined;
  readonly state: string | undefined;
}

/** The ledger when everything is quiet. */
export interface EndState {
  readonly messages: readonly EndMessage[];
  readonly deliveries: readonly EndDelivery[];
  readonly mailboxes: readonly {
    readonly recipient: string;
    readonly pending: number;
    readonly pending_bytes: number;
  }[];
  readonly events: readonly EndEvent[];
}

export interface Expectations {
  /** Recipients whom nothing keeps from getting their messages. */
  readonly reachable?: readonly string[];
  /** Recipients who read by taking files, and put all of them on record. */
  readonly fileReaders?: readonly string[];
  /** `free` where several deliver from one ledger at once. */
  readonly order?: 'kept' | 'free';
}

export function historyFindings(
  history: readonly HistoryEntry[],
  end: EndState,
  expected: Expectations = {},
): string[] {
  return [
    ...acceptanceFindings(history, end),
    ...appearanceFindings(history, end, expected),
    ...finalityFindings(history, end),
    ...rowFindings(end, expected),
  ];
}

function acceptanceFindings(history: readonly HistoryEntry[], end: EndState): string[] {
  const found: string[] = [];
  const ids = new Set(end.messages.map(({ message_id }) => message_id));
  const sent = new Map<string, string>();
  for (const entry of history) {
    if (entry.kind === 'sent') sent.set(entry.key, textOf(entry.sender, entry.body));
    if (entry.kind === 'acknowledged' && !ids.has(entry.id)) {
      found.push(`lost: ${entry.key} was acknowledged as ${entry.id} and is not in the ledger`);
    }
  }
  const kept = Map.groupBy(end.messages.filter(isFromOutside), (row) =>
    textOf(row.agent_name, row.body),
  );
  for (const entry of history) {
    if (entry.kind !== 'stored') continue;
    const text = sent.get(entry.key);
    if (text === undefined || !kept.has(text)) {
      found.push(`lost: the file of ${entry.key} was flushed and is not in the ledger`);
    }
  }
  const texts = new Set(sent.values());
  for (const [text, rows] of kept) {
    const [first] = rows;
    if (first === undefined) continue;
    if (!texts.has(text)) {
      found.push(`phantom: ${first.agent_name} never sent ${first.message_id}`);
    }
    if (rows.length > 1) {
      const same = rows.map(({ message_id }) => message_id).join(', ');
      found.push(`twice: one message of ${first.agent_name} is in the ledger as ${same}`);
    }
  }
  return found;
}

/** L2: what has ended stays as it ended, whatever happens. */
function finalityFindings(history: readonly HistoryEntry[], end: EndState): string[] {
  const found: string[] = [];
  const ended = new Map<string, string>();
  const see = (id: string, recipient: string, state: string): void => {
    const before = ended.get(`${id} ${recipient}`);
    if (before === undefined || before === state) return;
    found.push(`changed: ${id} to ${recipient} had ended as ${before} and is ${state}`);
  };
  for (const entry of history) {
    if (entry.kind !== 'observed') continue;
    see(entry.id, entry.recipient, entry.state);
    if (entry.ended) ended.set(`${entry.id} ${entry.recipient}`, entry.state);
  }
  for (const { message_id, recipient, state } of end.deliveries) {
    see(message_id, recipient, state);
    ended.delete(`${message_id} ${recipient}`);
  }
  for (const gone of ended.keys()) found.push(`lost: the delivery ${gone} had ended and is gone`);
  return found;
}

function isFromOutside({ agent_name }: EndMessage): boolean {
  return agent_name !== '__orchestrator__';
}

function textOf(sender: string, body: string): string {
  return `${sender}\n${body}`;
}
