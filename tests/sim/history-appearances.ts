/** What recipients saw: nothing that was not sent, nothing twice, everything in its turn. */
import type { EndDelivery, EndState, Expectations, HistoryEntry } from './message-history.ts';

type Appeared = Extract<HistoryEntry, { kind: 'appeared' }>;

export function appearanceFindings(
  history: readonly HistoryEntry[],
  end: EndState,
  { order = 'kept', fileReaders = [] }: Expectations,
): string[] {
  return [
    ...phantoms(history, end),
    ...repetitions(history),
    ...(order === 'kept' ? disorder(history, end) : []),
    ...unseen(history, end, new Set(fileReaders)),
  ];
}

function phantoms(history: readonly HistoryEntry[], end: EndState): string[] {
  const found: string[] = [];
  const messages = new Map(end.messages.map((row) => [row.message_id, row]));
  const deliveries = new Set(end.deliveries.map(nameOf));
  for (const entry of history) {
    if (entry.kind !== 'appeared') continue;
    const row = messages.get(entry.id);
    if (row === undefined) {
      found.push(`phantom: ${entry.recipient} saw ${entry.id}, which is not in the ledger`);
    } else if (row.body !== entry.body || row.agent_name !== entry.from) {
      found.push(`phantom: ${entry.recipient} saw ${entry.id} with another sender or body`);
    } else if (!deliveries.has(nameOf({ message_id: entry.id, recipient: entry.recipient }))) {
      found.push(`phantom: ${entry.recipient} saw ${entry.id}, which goes to others`);
    }
  }
  return found;
}

/** H2 */
function repetitions(history: readonly HistoryEntry[]): string[] {
  const found: string[] = [];
  const done = new Map<string, 'file' | 'call'>();
  let isUnseen = false;
  const isDone = ({ id, recipient }: Appeared): boolean => {
    const how = done.get(`${id} ${recipient}`);
    return how === 'call' || (how === 'file' && !isUnseen);
  };
  for (const entry of history) {
    if (entry.kind === 'power-cut') isUnseen = true;
    else if (entry.kind === 'started' && isUnseen) {
      isUnseen = false;
      for (const [name, how] of done) if (how === 'file') done.delete(name);
    } else if (entry.kind === 'read') {
      done.set(`${entry.id} ${entry.recipient}`, entry.how);
    } else if (entry.kind === 'appeared' && isDone(entry)) {
      found.push(`twice: ${entry.recipient} had read ${entry.id} and saw it again`);
    }
  }
  return found;
}

interface Seen {
  readonly delivery: EndDelivery;
  readonly sender: string;
  readonly way: Appeared['way'];
  /** How many power cuts came before. */
  readonly cuts: number;
}

/**
 * Of two messages to one recipient the earlier one comes first, when they have the same
 * sender and priority, or when it is the more urgent one.
 */
function disorder(history: readonly HistoryEntry[], end: EndState): string[] {
  const found: string[] = [];
  for (const seen of Map.groupBy(firstSeen(history, end), queueOf).values()) {
    for (const [place, later] of seen.entries()) {
      for (const earlier of seen.slice(0, place)) {
        if (!mustPrecede(later, earlier)) continue;
        const { message_id, recipient } = later.delivery;
        found.push(
          `order: ${recipient} saw ${earlier.delivery.message_id} before ${message_id}, which was accepted earlier`,
        );
      }
    }
  }
  return found;
}

function mustPrecede(one: Seen, other: Seen): boolean {
  if (one.delivery.id >= other.delivery.id || one.cuts !== other.cuts) return false;
  const urgency = one.delivery.priority - other.delivery.priority;
  return urgency < 0 || (urgency === 0 && one.sender === other.sender);
}

function firstSeen(history: readonly HistoryEntry[], end: EndState): Seen[] {
  const deliveries = new Map(end.deliveries.map((row) => [nameOf(row), row]));
  // What waited for a Lead was in no queue meanwhile.
  const held = new Set(
    end.events.filter(({ kind }) => kind === 'message.held').map(({ id }) => id),
  );
  const seen = new Map<string, Seen>();
  let cuts = 0;
  for (const entry of history) {
    if (entry.kind === 'power-cut') cuts++;
    if (entry.kind !== 'appeared' || held.has(entry.id)) continue;
    // Whoever pulls goes past what is being delivered at that moment.
    if (entry.way === 'pull') continue;
    const name = `${entry.id} ${entry.recipient}`;
    const delivery = deliveries.get(name);
    if (delivery === undefined || seen.has(name)) continue;
    seen.set(name, { delivery, sender: entry.from, way: entry.way, cuts });
  }
  return [...seen.values()];
}

function queueOf({ delivery, way }: Seen): string {
  return `${delivery.recipient} ${delivery.subscription} ${way}`;
}

/** Whoever reads by taking files has seen what is said to be read. */
function unseen(
  history: readonly HistoryEntry[],
  end: EndState,
  fileReaders: ReadonlySet<string>,
): string[] {
  const isAppeared = (entry: HistoryEntry): entry is Appeared => entry.kind === 'appeared';
  const seen = new Set(history.filter(isAppeared).map(({ id, recipient }) => `${id} ${recipient}`));
  return end.deliveries
    .filter(
      ({ state, via, recipient }) =>
        state === 'read' && via === 'inbox' && fileReaders.has(recipient),
    )
    .filter((row) => !seen.has(nameOf(row)))
    .map(
      ({ message_id, recipient }) => `lost: ${message_id} is read, and ${recipient} never saw it`,
    );
}

function nameOf({ message_id, recipient }: Pick<EndDelivery, 'message_id' | 'recipient'>): string {
  return `${message_id} ${recipient}`;
}
