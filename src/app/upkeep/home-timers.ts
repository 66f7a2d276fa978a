/** The timers of a home: for the chain of events, what messages leave behind, and approvals. */

import type { FileAgent } from '../../files/open-file-agent.ts';
import { forgetOldKeys } from '../../gateway/server/idempotency.ts';
import type { Clock, Instant } from '../../kernel/ports.ts';
import { thinSignedHeads } from '../../ledger/events.ts';
import type { Ledger, Transaction } from '../../ledger/ledger.ts';
import { deleteOperationsBefore } from '../../ledger/operations/operations.ts';
import { deleteGrantsBefore } from '../../ledger/security/grants.ts';
import { deleteCallsBefore } from '../../ledger/security/journal.ts';
import { deleteEndedHandles } from '../../ledger/security/principals.ts';
import { forgetSignatures } from '../../ledger/security/seen-requests.ts';
import { setTimerOnce } from '../../ledger/timers.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import type { Operations } from '../../operations/operations.ts';
import { type HeadDeps, signNewHead } from '../../security/audit/head.ts';
import { pruneEvents } from '../../security/audit/prune.ts';
import type { ToolCalls } from '../../tools/call.ts';
import type { Transfers } from '../../transfer/transfers.ts';
import { postApproval } from './approval-webhook.ts';
import { nextCutoff, type Ring } from './timers.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const everyHome = [
  { id: 'audit.head', every_ms: minuteMs },
  { id: 'audit.prune', every_ms: dayMs },
  { id: 'relay.upkeep', every_ms: dayMs },
  { id: 'transfer.expire', every_ms: minuteMs },
  { id: 'blobs.upkeep', every_ms: dayMs },
  { id: 'operation.cleanup', every_ms: 60 * minuteMs },
  { id: 'operation.monitor', every_ms: 5 * minuteMs },
  { id: 'keys.rotate', every_ms: dayMs },
  { id: 'files.forget', every_ms: dayMs },
  { id: 'files.recover', every_ms: minuteMs },
  { id: 'memory.upkeep', every_ms: minuteMs },
  { id: 'requests.expire', every_ms: 60 * minuteMs },
];

export async function setHomeTimers(ledger: Ledger, clock: Clock): Promise<void> {
  const now = clock.now();
  await ledger.transact(async (tx) => {
    for (const { id, every_ms } of everyHome) {
      const timer = { id, kind: id, subject: 'ledger', payload: '{}', due_at: now, every_ms };
      await setTimerOnce(tx, timer, now);
    }
  });
}

export interface HomeTimersDeps extends HeadDeps {
  readonly clock: Clock;
  readonly log: {
    info(facts: object, words: string): void;
    error(facts: object, words: string): void;
  };
  readonly auditDays: number;
  readonly keepRelay: () => Promise<void>;
  readonly keepBlobs: () => Promise<void>;
  readonly transfers: Pick<Transfers, 'recover' | 'cleanUp' | 'prune'>;
  readonly operations: Pick<Operations, 'cleanUp' | 'watchResources' | 'rotateKeys' | 'keyMadeAt'>;
  readonly keyRotationDays: number;
  readonly files: Pick<FileAgent, 'forgetBefore' | 'recover'>;
  readonly filePlanDays: number;
  readonly memory: Pick<MemoryManager, 'keepHouse'>;
  readonly calls: Pick<ToolCalls, 'announce' | 'expire'>;
  /** `none`, or where to tell that a call waits for an approval. */
  readonly approvalWebhook: string;
}

export function homeTimers(deps: HomeTimersDeps): Readonly<Record<string, Ring>> {
  const { calls, clock, files, log, memory, operations, transfers } = deps;
  return {
    'audit.head': quick(async () => {
      const head = await signNewHead(deps);
      // In the log too, which may be kept elsewhere than the ledger.
      if (head !== undefined) log.info({ head }, 'the end of the chain was signed');
    }),
    'audit.prune': quick(async () => {
      await pruneAll(deps);
      // Each signature takes its time when the chain is verified.
      await deps.ledger.transact((tx) => thinSignedHeads(tx, clock.now() - dayMs));
    }),
    'relay.upkeep': quick(() => deps.keepRelay()),
    'transfer.expire': quick(async () => {
      await transfers.recover();
      await transfers.cleanUp();
    }),
    'requests.expire': quick(() => forgetOldKeys(deps)),
    'operation.cleanup': slow(async () => {
      await operations.cleanUp();
      await forgetSigned(deps);
    }),
    'operation.monitor': quick(() => operations.watchResources()),
    'keys.rotate': slow(async () => {
      if (clock.now() - operations.keyMadeAt < deps.keyRotationDays * dayMs) return;
      await operations.rotateKeys('system');
    }),
    // A full disk may have kept a plan from ending.
    'files.recover': slow(() => files.recover(log)),
    'files.forget': slow(() => files.forgetBefore(clock.now() - deps.filePlanDays * dayMs)),
    'memory.upkeep': slow(() => memory.keepHouse()),
    'blobs.upkeep': slow(() => deps.keepBlobs()),
    'approval.announce': slow(({ subject }) => announce(deps, subject)),
    'approval.expire': quick(({ subject }) => calls.expire(subject)),
  };
}

type RepeatableRing = Extract<Ring, { kind: 'repeatable' }>['ring'];

function quick(ring: RepeatableRing): Ring {
  return { kind: 'repeatable', ring };
}

/** Other timers need not wait for it. */
function slow(ring: RepeatableRing): Ring {
  return { kind: 'repeatable', isSlow: true, ring };
}

async function pruneAll(deps: HomeTimersDeps): Promise<void> {
  const olderThan = await nextCutoff(deps, { key: 'audit.cutoff', keepDays: deps.auditDays });
  for (;;) {
    const { events, more } = await pruneEvents(deps, { olderThan });
    if (events > 0) deps.log.info({ events }, 'old events were cut off');
    if (!more) break;
  }
  await pruneOtherRows(deps.ledger, olderThan);
  await deps.transfers.prune(olderThan);
}

// One transaction must not hold up those who call.
const batchRows = 200;
// Some time after their end: what is forgotten too early is refused, where the clock is set back.
const signaturesKeptMs = 60 * minuteMs;

/** With the handles that were bought with them. */
async function forgetSigned({ ledger, clock }: HomeTimersDeps): Promise<void> {
  const now = clock.now();
  const before = now - signaturesKeptMs;
  for (;;) {
    const work = async (tx: Transaction) =>
      Math.max(
        await forgetSignatures(tx, { before, limit: batchRows, now }),
        await deleteEndedHandles(tx, before, batchRows),
      );
    if ((await ledger.transact(work)) < batchRows) return;
  }
}

async function pruneOtherRows(ledger: Ledger, before: Instant): Promise<void> {
  for (;;) {
    const pruned = await ledger.transact(async (tx) => {
      const grants = await deleteGrantsBefore(tx, before, batchRows);
      const calls = await deleteCallsBefore(tx, before, batchRows);
      return Math.max(grants, calls, await deleteOperationsBefore(tx, before, batchRows));
    });
    if (pruned < batchRows) return;
  }
}

async function announce(deps: HomeTimersDeps, approval: string): Promise<void> {
  const { calls, ledger, clock, approvalWebhook } = deps;
  await calls.announce(approval);
  if (approvalWebhook === 'none') return;
  await postApproval({ sql: ledger.committed, clock }, approvalWebhook, approval);
}
