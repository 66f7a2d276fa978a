/** What recipients do with their mail: look, take, read, answer, and wait for more. */

import { priorities } from '../kernel/message/message.ts';
import { must } from '../kernel/must.ts';
import type { Bells } from '../kernel/turns.ts';
import { batchRows } from '../ledger/ledger.ts';
import { type Queue, returnDelivery } from '../ledger/messages/deliveries.ts';
import {
  findMail,
  type MailFacts,
  type MailRow,
  unreadMail,
} from '../ledger/messages/find-mail.ts';
import { subscriptionsOf } from '../ledger/messages/subscriptions.ts';
import { type AcceptDeps, accept } from './accept.ts';
import { clearFiles, type Sinks } from './delivery/outcome.ts';
import { markPushedRead, markRead, unknownMessage } from './delivery/settle.ts';
import type { RelayCore } from './deps.ts';
import type { PrincipalName } from './envelope.ts';
import { itemOf, messageOf, type OutgoingMail } from './mail.ts';
import { Posting } from './posting.ts';
import type {
  Mailboxes,
  MailboxItem,
  MailSettlement,
  PushSink,
  SettledMail,
  TakeQuery,
} from './relay.ts';

export interface MailboxDeps extends AcceptDeps {
  /** There may be another way to deliver what is in this queue. */
  wake(queue: Queue): void;
  /** Whether nothing of this queue is on its way, now or within that time. */
  isQuiet(queue: Queue, patienceMs: number): Promise<boolean>;
  /** What is attached is kept here, for the deliverer. */
  readonly sinks: Sinks;
  readonly bells: Bells;
}

const patienceMs = 100;

export function openMailboxes(deps: MailboxDeps): Mailboxes {
  const sql = deps.core.ledger.committed;
  return {
    list: async (recipient, query) => items(await unreadMail(sql, recipient, query)),
    take: (recipient, query) => take(deps, recipient, query),
    markRead: (recipient, ids) => readByIds(deps, recipient, ids),
    settle: (recipient, id, settlement) => settle(deps, recipient, { id, ...settlement }),
    attach: (recipient, sink) => attach(deps, recipient, sink),
    wait: (recipient, timeoutMs, signal) => deps.bells.wait(recipient, timeoutMs, signal),
  };
}

function items(rows: readonly MailRow[]): MailboxItem[] {
  return rows.map((mail) => itemOf(mail, messageOf(mail)));
}

/** Each is handed out once: the row that says so is on disk before the answer goes out. */
async function take(
  deps: MailboxDeps,
  recipient: PrincipalName,
  { roomFor, also, ...query }: TakeQuery,
): Promise<readonly MailboxItem[]> {
  if (deps.core.grants.isPaused(`agent:${recipient}`)) return [];
  // What waits behind something that is on its way must not overtake it.
  const queue = { recipient, subscription: 0 };
  const deliveredOnly = !(await deps.isQuiet(queue, patienceMs));
  const wanted = { ...query, deliveredOnly };
  // Most looks find nothing, and those need not be written down.
  if ((await unreadMail(deps.core.ledger.committed, recipient, wanted)).length === 0) return [];
  const { taken, posted } = await deps.core.ledger.transact(async (tx) => {
    const posting = new Posting(deps.core, tx, deps.handover);
    const taken: MailRow[] = [];
    const found = await unreadMail(tx, recipient, wanted);
    const chosen = roomFor === undefined ? found : found.slice(0, roomFor(items(found)));
    for (const mail of chosen) {
      if (await markRead(posting, mail, { via: 'pull' })) taken.push(mail);
    }
    if (taken.length > 0) await also?.(tx, items(taken));
    return { taken, posted: await posting.finish() };
  });
  deps.posted(posted);
  // A recipient that read it here must not find it in the inbox folder once more.
  await clearFiles(deps.core, taken);
  return items(taken.map((mail) => ({ ...mail, state: 'read' })));
}

// A transaction must not hold the ledger up for long.
async function readByIds(
  deps: MailboxDeps,
  recipient: PrincipalName,
  ids: readonly string[],
): Promise<readonly string[]> {
  const parts: Promise<readonly string[]>[] = [];
  for (let start = 0; start < ids.length; start += batchRows) {
    parts.push(readPart(deps, recipient, ids.slice(start, start + batchRows)));
  }
  return (await Promise.all(parts)).flat();
}

async function readPart(
  deps: MailboxDeps,
  recipient: PrincipalName,
  ids: readonly string[],
): Promise<readonly string[]> {
  const pushed = ids.flatMap((id) => deps.sinks.pushedMail(recipient, id) ?? []);
  const { read, posted } = await deps.core.ledger.transact(async (tx) => {
    const posting = new Posting(deps.core, tx, deps.handover);
    const read: MailFacts[] = [...(await markPushedRead(posting, pushed))];
    const done = new Set(read.map(({ message_id }) => message_id));
    for (const id of ids) {
      if (done.has(id)) continue;
      const mail = await findMail(tx, id, recipient);
      const isUnread = mail?.state === 'accepted' || mail?.state === 'delivered';
      if (mail === undefined || !isUnread) continue;
      if (await markRead(posting, mail, { via: 'pull', evenHeld: true })) read.push(mail);
    }
    return { read, posted: await posting.finish() };
  });
  deps.posted(posted);
  for (const { message_id } of read) deps.sinks.read(recipient, message_id);
  await clearFiles(deps.core, read);
  return read.map(({ message_id }) => message_id);
}

/** The answer is a message like any other; accepting it moves on what it answers. */
async function settle(
  deps: MailboxDeps,
  recipient: PrincipalName,
  { id, kind, body }: MailSettlement & { readonly id: string },
): Promise<SettledMail> {
  const { committed } = deps.core.ledger;
  const mail = await findMail(committed, id, recipient);
  if (mail === undefined) throw unknownMessage(id);
  const message = {
    to: mail.sender,
    kind,
    priority: priorities.usual,
    re: id,
    thread: mail.thread ?? undefined,
    attachments: [],
    headers: [],
    body,
  };
  const [accepted] = await accept(deps, [{ sender: recipient, message }]);
  const answer = must(accepted, 'what became of an answer');
  if (answer.kind === 'refused') throw answer.error;
  const after = await findMail(committed, id, recipient);
  return { id, state: after?.state ?? mail.state, answer: answer.id };
}

function attach(deps: MailboxDeps, recipient: PrincipalName, sink: PushSink): AsyncDisposable {
  deps.sinks.add(recipient, sink);
  const wakeAll = async (): Promise<void> => {
    const subscriptions = await subscriptionsOf(deps.core.ledger.committed, recipient);
    for (const id of [0, ...subscriptions.map(({ id }) => id)]) {
      deps.wake({ recipient, subscription: id });
    }
  };
  // Where the ledger cannot be read, nothing is delivered anyway.
  const woken = wakeAll().catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      await woken;
      await returnUnread(deps.core, deps.sinks.remove(recipient, sink));
      await wakeAll();
    },
  };
}

/** What was pushed to a recipient that has left waits again. */
export async function returnUnread(
  core: RelayCore,
  unread: readonly OutgoingMail[],
): Promise<void> {
  if (unread.length === 0) return;
  await core.ledger.transact(async (tx) => {
    for (const { mail } of unread) {
      if (!(await returnDelivery(tx, mail.delivery))) continue;
      await tx.record({
        actor: 'system',
        kind: 'message.returned',
        subject: `message:${mail.message_id}`,
        data: { to: mail.recipient },
      });
    }
  });
}
