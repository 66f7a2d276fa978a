/**
 * What a relay does before it takes anything in: whoever held deliveries is dead, because
 * the home has one owner at a time.
 *
 * V1. What reached an inbox and was not noted is noted first (deliver.ts, D5); only then is
 *     everything given back that was held.
 * V2. On the same boot of the machine nothing that was written is lost, so an unread file
 *     that is missing was read. After a power cut it may be lost, or cut short: everything
 *     that is not over is delivered again.
 */

import { toReport } from '../../kernel/errors.ts';
import { everyAgent } from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { everyStamp, pushedMail, returnDelivery } from '../../ledger/messages/deliveries.ts';
import { recipientsWithUnread } from '../../ledger/messages/find-mail.ts';
import {
  deliveriesSucceeded,
  heldByStamp,
  releaseAllBut,
} from '../../ledger/messages/held-deliveries.ts';
import {
  changeMessageStatus,
  type MessageRow,
  unfinishedMessages,
} from '../../ledger/messages/messages.ts';
import { openPendingOperations } from '../../ledger/operations/pending-operations.ts';
import type { RelayCore } from '../deps.ts';
import { stampIn } from '../mail.ts';
import type { InboxReads } from './inbox-reads.ts';
import type { InterruptedBatch } from './inboxes.ts';
import { restartInbox } from './restart-inbox.ts';

export interface RecoverDeps {
  readonly core: RelayCore;
  readonly reads: InboxReads;
  /** Whether the machine has been up since the last owner of the home. */
  readonly sameBoot: boolean;
  /** Whether a file is still where a message came from, or in the archive. */
  locate(message: MessageRow): Promise<'outbox' | 'archive' | 'gone'>;
}

export async function recover(deps: RecoverDeps): Promise<void> {
  const { core, reads, sameBoot } = deps;
  // V1
  for (const batch of await core.inboxes.interrupted()) {
    if (sameBoot) await noteReached(core, batch);
    await batch.noted();
  }
  await core.ledger.transact((tx) => releaseAllBut(tx, core.holder));
  await returnPushed(core);
  await finishFiles(deps);
  await countOperations(core);
  // V2
  if (!sameBoot) return startInboxesOver(core);
  for (const recipient of await recipientsWithUnread(core.ledger.committed)) {
    await reads.trySweep(recipient);
  }
}

async function noteReached(
  core: RelayCore,
  { recipient, reached }: InterruptedBatch,
): Promise<void> {
  await core.ledger.transact(async (tx) => {
    for (const name of reached) {
      const stamp = stampIn(name);
      const held = stamp === undefined ? undefined : await heldByStamp(tx, recipient, stamp);
      if (held === undefined) continue;
      const { id, owner, message_id } = held;
      const at = core.clock.now();
      const noted = await deliveriesSucceeded(tx, [id], { owner, via: 'inbox', at });
      if (!noted.has(id)) continue;
      const data = { to: recipient, via: 'inbox' };
      const subject = `message:${message_id}`;
      await tx.record({ actor: 'system', kind: 'message.delivered', subject, data });
    }
  });
}

const page = 256;

/** Their connections are gone. */
async function returnPushed({ ledger }: RelayCore): Promise<void> {
  for (;;) {
    const returned = await ledger.transact(async (tx) => {
      const rows = await pushedMail(tx, page);
      for (const { id } of rows) await returnDelivery(tx, id);
      return rows.length;
    });
    if (returned < page) return;
  }
}

/** Seed 003, 2.4: of each file whose processing was interrupted, where is it? */
async function finishFiles({ core, locate }: RecoverDeps): Promise<void> {
  const left: MessageRow[] = await unfinishedMessages(
    core.ledger.committed,
    Number.MAX_SAFE_INTEGER,
  );
  for (const message of left) {
    const place = await locate(message).catch((failure: unknown) => {
      // It stays as it is, and the next start looks again.
      const facts = { error: toReport(failure), agent: message.agent_name };
      core.log.error(facts, 'the file of a message cannot be looked for');
      return 'outbox' as const;
    });
    // The outbox is looked through anyway, and archives what is known.
    if (place === 'outbox') continue;
    const at = core.clock.now();
    const change =
      place === 'archive'
        ? ({ from: message.status, to: 'archived', at } as const)
        : ({ from: message.status, to: 'failed', at, error: 'file_disappeared' } as const);
    await core.ledger.transact((tx) => changeMessageStatus(tx, message.message_id, change));
  }
}

/** Spawns and releases are taken up by the runtime; deliveries have been, above. */
async function countOperations({ ledger, log }: RelayCore): Promise<void> {
  const open = await openPendingOperations(ledger.committed, page);
  if (open.length > 0) log.info({ operations: open.length }, 'operations wait to be taken up');
}

/**
 * After a power cut. Nobody flushed the files, nor the agents' taking them away: one may be
 * missing, another cut short, a third be back that was read long ago. So everything that
 * the ledger knows is taken out of the inboxes, and what is not over waits to be delivered.
 */
async function startInboxesOver(core: RelayCore): Promise<void> {
  const { ledger, inboxes, log } = core;
  const known = await knownAmong(ledger.committed, await lyingFiles(core));
  for (const [recipient, names] of known) {
    await orTold(core, recipient, () => inboxes.remove(recipient, names), undefined);
  }
  for (const recipient of await recipientsWithUnread(ledger.committed)) {
    const messages = await restartInbox(core, recipient);
    if (messages > 0) log.warn({ recipient, messages }, 'an inbox is written again after a crash');
  }
}

/** By recipient and stamp. */
type LyingFiles = ReadonlyMap<string, { readonly recipient: string; readonly name: string }>;

async function lyingFiles(core: RelayCore): Promise<LyingFiles> {
  const lying = new Map<string, { readonly recipient: string; readonly name: string }>();
  for await (const { name: recipient } of everyAgent(core.ledger.committed)) {
    const listed = await orTold(core, recipient, () => core.inboxes.list(recipient), undefined);
    for (const name of listed ?? []) {
      const stamp = stampIn(name);
      if (stamp !== undefined) lying.set(`${recipient} ${stamp}`, { recipient, name });
    }
  }
  return lying;
}

/** One walk through all deliveries, because no index leads from a file to one that is over. */
async function knownAmong(sql: Sql, lying: LyingFiles): Promise<Map<string, string[]>> {
  const known = new Map<string, string[]>();
  if (lying.size === 0) return known;
  for await (const { recipient, stamp_ns } of everyStamp(sql)) {
    const file = lying.get(`${recipient} ${stamp_ns}`);
    if (file === undefined) continue;
    const names = known.get(recipient);
    if (names === undefined) known.set(recipient, [file.name]);
    else names.push(file.name);
  }
  return known;
}

/** What one agent has made of its inbox must not keep everybody from theirs. */
async function orTold<T>(
  { log }: RelayCore,
  recipient: string,
  work: () => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    log.error({ error: toReport(failure), recipient }, 'an inbox cannot be looked into');
    return otherwise;
  }
}
