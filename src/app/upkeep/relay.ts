/**
 * What messages leave behind does not grow for ever: the archive, rows of messages that are
 * over, streams, and attachments that no message refers to.
 *
 * U1. Rows and archive go by the same moment, which moves on by two days at most a run
 *     (timers.ts): a clock that is ahead for an hour must not take everything with it.
 * U2. An attachment is put before the message that refers to it. So one that none refers
 *     to stays for an hour, counted from when it was put last.
 * U3. A step that fails is told, and keeps no other from running. It is not thrown, because
 *     a sender that tries again at once moves the moment of U1 on.
 */
import type { Blobs } from '../../blobs/blobs.ts';
import { toReport } from '../../kernel/errors.ts';
import type { Clock, Disk, Instant, Random, Volume } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { pruneMessages } from '../../ledger/messages/messages.ts';
import { pruneStreams } from '../../ledger/messages/subscriptions.ts';
import {
  dropPuttersBefore,
  dropReferencesOfGoneMessages,
  isReferredTo,
} from '../../ledger/transfers/blobs.ts';
import { makeRoom, pruneArchive } from '../../relay/files/archive-upkeep.ts';
import { usedPercent } from '../doctor/disk.ts';
import { nextCutoff } from './timers.ts';

export interface RelayUpkeepDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly random: Random;
  readonly log: UpkeepLog;
  readonly home: string;
  readonly archiveDays: number;
  readonly attachments: Pick<Blobs, 'list' | 'delete'>;
}

interface UpkeepLog {
  info(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

const cutoffKey = 'relay.cutoff';
const dayMs = 24 * 3_600_000;
const youngMs = 3_600_000;
// One transaction must not hold up those who send.
const batchMessages = 200;

/** Repeated or interrupted, it does no harm. */
export async function keepRelay(deps: RelayUpkeepDeps): Promise<void> {
  const { archiveDays: keepDays, ledger, log } = deps;
  const cutoff = await nextCutoff(deps, { key: cutoffKey, keepDays });
  await step(log, 'old days of the archive', () => pruneDays(deps, cutoff));
  const messages = await step(log, 'old messages', () => pruneAllMessages(deps, cutoff));
  await step(log, 'old streams', () => ledger.transact((tx) => pruneStreams(tx, cutoff)));
  await step(log, 'what old messages refer to', () =>
    ledger.transact((tx) => dropReferencesOfGoneMessages(tx)),
  );
  await step(log, 'who has put what nobody sent', () =>
    ledger.transact((tx) => dropPuttersBefore(tx, deps.clock.now() - youngMs)),
  );
  const unused = 'attachments that nobody refers to';
  const attachments = await step(log, unused, () => sweepAttachments(deps));
  if ((messages ?? 0) + (attachments ?? 0) > 0) {
    log.info({ messages, attachments }, 'removed what is left of old messages');
  }
}

// U3
async function step<T>(
  log: UpkeepLog,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (failure) {
    log.error({ error: toReport(failure) }, `cannot remove ${what}`);
    return undefined;
  }
}

async function pruneDays(deps: RelayUpkeepDeps, cutoff: Instant): Promise<void> {
  const { archiveDays: keepDays } = deps;
  // U1
  const days = await pruneArchive(deps, { keepDays, now: cutoff + keepDays * dayMs });
  if (days.length > 0) await recordPruned(deps, { packed: 0, removed_days: days });
}

async function pruneAllMessages({ ledger }: RelayUpkeepDeps, before: Instant): Promise<number> {
  let all = 0;
  for (;;) {
    const pruned = await ledger.transact((tx) => pruneMessages(tx, before, batchMessages));
    all += pruned;
    if (pruned < batchMessages) return all;
  }
}

// U2
async function sweepAttachments({ ledger, clock, attachments }: RelayUpkeepDeps): Promise<number> {
  let swept = 0;
  for await (const { hash, putAt } of attachments.list()) {
    const putBefore = clock.now() - youngMs;
    if (putAt >= putBefore || (await isReferredTo(ledger.committed, hash))) continue;
    // Looked at once more there: it may have been put again meanwhile.
    if (await attachments.delete(hash, { putBefore })) swept++;
  }
  return swept;
}

interface Pruned {
  readonly packed: number;
  readonly removed_days: readonly string[];
}

function recordPruned({ ledger }: Pick<RelayUpkeepDeps, 'ledger'>, data: Pruned): Promise<void> {
  const kind = 'archive.pruned';
  return ledger.transact((tx) => tx.record({ actor: 'system', kind, subject: 'archive', data }));
}

export interface RoomDeps
  extends Pick<RelayUpkeepDeps, 'ledger' | 'clock' | 'disk' | 'random' | 'log' | 'home'> {
  readonly volume: Volume;
  readonly alertPercent: number;
}

/** For a disk that is nearly full: the oldest archive goes, until it is not. Never throws. */
export async function makeRoomOnDisk(deps: RoomDeps, signal?: AbortSignal): Promise<void> {
  const { volume, home, alertPercent, log } = deps;
  const isFull = async () => usedPercent(await volume.usage(home)) >= alertPercent;
  try {
    const { packed, removedDays } = await makeRoom(deps, isFull, signal);
    if (packed === 0 && removedDays.length === 0) return;
    log.info({ packed, removedDays }, 'made room by pruning the archive');
    await recordPruned(deps, { packed, removed_days: removedDays });
  } catch (failure) {
    if (signal?.aborted === true) return;
    log.error({ error: toReport(failure) }, 'cannot make room by pruning the archive');
  }
}
