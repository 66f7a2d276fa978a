/**
 * Erasing for good.
 *
 * P1. What has seen a memory goes with it: the journals of calls and operations say `purged`, and
 *     so do messages by which a state was saved or loaded, and those that the system itself wrote
 *     about such a call. Those of an operation that still runs follow when it is over
 *     (`settlePurges`). A call that was to store it and failed is found by its arguments.
 * P2. The rows go last, so that a process that dies in the middle leaves what tells it to go on.
 * P3. Afterwards neither the ledger nor the search index has a byte of it in any file. Backups
 *     that were made before are left alone, and so is what somebody has written elsewhere: other
 *     mail, files.
 */

import { operationOfKey } from '../kernel/journal/step.ts';
import type { MemoryKey } from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import { notesOfCall } from '../ledger/call-notes.ts';
import {
  type CallOfRun,
  callsThatStore,
  callsWithMessage,
  eraseCall,
  eraseCalls,
} from '../ledger/journal.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import {
  deleteMemories,
  emptyExpired,
  expiredMemories,
  memoriesMadeBy,
  memoryIds,
} from '../ledger/memories.ts';
import {
  keepPurgeDebt,
  purgeDebts,
  settlePurgeDebt,
  usersOfMemories,
} from '../ledger/memory-uses.ts';
import { eraseMessage } from '../ledger/messages.ts';
import { purgeTexts } from '../ledger/operation-finish.ts';
import { findOperation, type OperationRow, operationsBelow } from '../ledger/operations.ts';
import { eraseSteps } from '../ledger/steps.ts';
import type { MemoryDeps } from './deps.ts';
import type { IndexFollower } from './follow.ts';

type PurgeDeps = Pick<MemoryDeps, 'ledger' | 'index' | 'clock' | 'eraseFiles'> & {
  readonly follower: Pick<IndexFollower, 'catchUp'>;
};

export interface Purged {
  readonly versions: number;
  /** Operations that have seen it and still run: their journals go when they are over. */
  readonly later: readonly string[];
}

const atOnce = 200;

/** Every version of the key, and of all that lies below it where that is wanted. */
export async function purgeMemories(
  deps: PurgeDeps,
  place: MemoryKey,
  { below, actor }: { readonly below: boolean; readonly actor: string },
): Promise<Purged> {
  const later = new Set<string>();
  let versions = 0;
  let users = await storersOf(deps.ledger.committed, place, { below });
  for (;;) {
    const ids = await memoryIds(deps.ledger.committed, place, { below, limit: atOnce });
    if (ids.length + users.length === 0) break;
    const all = await withDerived(deps, { ids, users }, later);
    users = [];
    await deps.ledger.transact(async (tx) => {
      await deleteMemories(tx, all);
      const subject = place.owner;
      // Neither the key nor its digest: it may be what was to go.
      await tx.record({ actor, kind: 'memory.purged', subject, data: { versions: ids.length } });
    });
    versions += ids.length;
  }
  // Also where there was nothing left: one that was cut off may not have come so far.
  await forgetAll(deps);
  return { versions, later: [...later] };
}

/** Who was to store something there: of a call that failed nothing is noted. */
export async function storersOf(
  sql: Sql,
  place: MemoryKey,
  { below }: { readonly below: boolean },
): Promise<readonly string[]> {
  return (await callsThatStore(sql, place, { below })).flatMap(usersIn);
}

function usersIn({ call_id, idempotency_key }: CallOfRun): readonly string[] {
  const operation = operationOfKey(idempotency_key);
  return [`tool-call:${call_id}`, ...(operation === undefined ? [] : [`operation:${operation}`])];
}

interface Seen {
  readonly ids: readonly number[];
  /** Who has seen it besides those that are noted. */
  readonly users: readonly string[];
}

/** P1. With what operations that have seen them left behind by themselves: their outcomes. */
async function withDerived(
  deps: PurgeDeps,
  { ids, users: more }: Seen,
  later: Set<string>,
): Promise<readonly number[]> {
  const sql = deps.ledger.committed;
  const all = new Set(ids);
  const users = new Set([...(await usersOfMemories(sql, ids)), ...more]);
  // It grows meanwhile.
  for (const user of users) {
    for (const each of await partnersOf(sql, user)) users.add(each);
    const derived = (await eraseUser(deps, user, later)).filter((id) => !all.has(id));
    for (const id of derived) all.add(id);
    for (const each of await usersOfMemories(sql, derived)) users.add(each);
  }
  return [...all];
}

/** Who has it from this one, or gave it to this one. */
async function partnersOf(sql: Sql, user: string): Promise<readonly string[]> {
  const [kind, id = ''] = user.split(/:(.*)/s);
  if (kind === 'message') return (await callsWithMessage(sql, id)).flatMap(usersIn);
  return kind === 'operation' ? childrenOf(sql, id) : [];
}

/** Their goals are made of what it has seen. */
async function childrenOf(sql: Sql, id: string): Promise<readonly string[]> {
  return (await operationsBelow(sql, id)).map((child) => `operation:${child}`);
}

async function eraseUser(
  deps: PurgeDeps,
  user: string,
  later: Set<string>,
): Promise<readonly number[]> {
  const [kind, id = ''] = user.split(/:(.*)/s);
  if (kind === 'tool-call') await eraseOneCall(deps, id);
  if (kind === 'message') await eraseMail(deps, id);
  if (kind !== 'operation') return [];
  if (!(await eraseOperation(deps, id))) later.add(id);
  return memoriesMadeBy(deps.ledger.committed, user);
}

/** With what the system itself has told of it. */
async function eraseOneCall({ ledger, eraseFiles }: PurgeDeps, id: string): Promise<void> {
  for (const note of await notesOfCall(ledger.committed, id)) await eraseFiles?.(note);
  await ledger.transact((tx) => eraseCall(tx, id, asPurged));
}

async function eraseMail({ ledger, eraseFiles }: PurgeDeps, id: string): Promise<void> {
  await eraseFiles?.(id);
  await ledger.transact((tx) => eraseMessage(tx, id, asPurged()));
}

/** False where it still runs: then it is noted for later. */
async function eraseOperation({ ledger }: PurgeDeps, id: string): Promise<boolean> {
  const row = await findOperation(ledger.committed, id);
  if (row === undefined) return true;
  if (!isOver(row)) {
    await ledger.transact((tx) => keepPurgeDebt(tx, id));
    return false;
  }
  // A page a transaction: everybody else goes on in between.
  while (!(await ledger.transact((tx) => eraseSome(tx, row)))) {}
  await ledger.transact((tx) => purgeTexts(tx, id));
  return true;
}

async function eraseSome(tx: Transaction, row: OperationRow): Promise<boolean> {
  const stepsGone = await eraseSteps(tx, row.id, asPurged);
  return (await eraseCalls(tx, row, asPurged)) && stepsGone;
}

/** No digest: what was short could be guessed from it. */
function asPurged(): string {
  return 'purged';
}

function isOver({ state }: OperationRow): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** P3 */
async function forgetAll({ ledger, index, follower }: PurgeDeps): Promise<void> {
  await follower.catchUp();
  await index.forget();
  await ledger.forget();
}

/** What was left because it still ran. */
export async function settlePurges(deps: PurgeDeps): Promise<void> {
  const open = await purgeDebts(deps.ledger.committed);
  let settled = 0;
  for (const id of open) {
    if (!(await eraseOperation(deps, id))) continue;
    const left = await memoriesMadeBy(deps.ledger.committed, `operation:${id}`);
    const ids = await withDerived(deps, { ids: left, users: [] }, new Set());
    await deps.ledger.transact(async (tx) => {
      await deleteMemories(tx, ids);
      await settlePurgeDebt(tx, id);
    });
    settled++;
  }
  if (settled > 0) await forgetAll(deps);
}

/** As long as journals are kept that may have seen it. */
const journalMs = 100 * 86_400_000;

/** What was to be kept for a while only. Journals stay, and a purge still finds them. */
export async function dropExpired({ ledger }: PurgeDeps, now: Instant): Promise<void> {
  while ((await ledger.transact((tx) => emptyExpired(tx, now, atOnce))) > 0) {}
  for (;;) {
    const ids = await expiredMemories(ledger.committed, now - journalMs, atOnce);
    if (ids.length === 0) return;
    await ledger.transact((tx) => deleteMemories(tx, ids));
  }
}
