/**
 * Erasing for good.
 *
 * P1. What has seen a memory goes with it: the journals of calls and operations say `purged`, and
 *     so do messages by which a state was saved or loaded, and those that the system itself wrote
 *     about such a call. Those of an operation that still runs follow when it is over
 *     (`settlePurges`). A call that was to store it and failed is found by its arguments. A reader
 *     meanwhile is no exception: first it is hidden from every reader, and before the rows go it is
 *     asked once more who has seen them.
 * P2. The rows go last, so that a process that dies in the middle leaves what tells it to go on.
 *     That files still hold it is a debt that is written with the deletion: of the ledger and the
 *     index one, and one of each message that lies in a file, or is on its way into one.
 * P3. Afterwards neither the ledger nor the search index has a byte of it in any file. Backups that
 *     were made before are left alone, and so is what an agent or a person has written elsewhere:
 *     other mail, files.
 */

import type { MemoryKey } from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Ledger, Transaction } from '../ledger/ledger.ts';
import {
  deleteMemories,
  emptyExpired,
  expiredMemories,
  memoryIds,
} from '../ledger/memory/memories.ts';
import {
  keepPurgeDebt,
  purgeDebts,
  settlePurgeDebt,
  usersOfMemories,
} from '../ledger/memory/uses.ts';
import { callsThatStore, nextStores } from '../ledger/security/journal.ts';
import type { MemoryDeps } from './deps.ts';
import { eraseUsers, isMailDebt, isUserOver, type ToErase, usersIn } from './erase-users.ts';
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
  let users = await storersOf(deps.ledger, place, { below });
  for (;;) {
    const ids = await memoryIds(deps.ledger.committed, place, { below, limit: atOnce });
    if (ids.length + users.length === 0) break;
    await takeAway(deps, { ids, users, later }, async (tx) => {
      const subject = place.owner;
      // Neither the key nor its digest: it may be what was to go.
      await tx.record({ actor, kind: 'memory.purged', subject, data: { versions: ids.length } });
    });
    users = [];
    versions += ids.length;
  }
  // Also where there was nothing left: one that was cut off may not have come so far.
  await forgetAll(deps);
  return { versions, later: [...later] };
}

/** Who was to store something there: of a call that failed nothing is noted. */
export async function storersOf(
  ledger: Ledger,
  place: MemoryKey,
  { below }: { readonly below: boolean },
): Promise<readonly string[]> {
  const users: string[] = [];
  let range = await nextStores(ledger.committed, 0);
  while (range !== undefined) {
    const some = { below, ...range };
    // All that was ever stored is looked through. A transaction waits for its turn, so that other
    // callers go on in between.
    const calls = await ledger.transact((tx) => callsThatStore(tx, place, some));
    users.push(...calls.flatMap(usersIn));
    range = await nextStores(ledger.committed, range.upTo);
  }
  return users;
}

interface PurgeSeen {
  readonly ids: readonly number[];
  /** Who has seen it besides those that are noted. */
  readonly users: readonly string[];
  readonly later: Set<string>;
}

/** What was hidden is not seen any more; only what has seen it may still be copied. */
const mostRounds = 10;

/** P1, P2 */
async function takeAway(
  deps: PurgeDeps,
  { ids, users, later }: PurgeSeen,
  also: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const gone: ToErase = { ids: new Set(), users: new Set(), later };
  await eraseUsers(deps, gone, { ids, users });
  for (let round = 1; ; round++) {
    const left = await deps.ledger.transact(async (tx) => {
      const seen = await usersOfMemories(tx, [...gone.ids]);
      const missed = seen.filter((user) => !gone.users.has(user));
      if (missed.length > 0 && round < mostRounds) return missed;
      for (const user of missed) await keepPurgeDebt(tx, user);
      await deleteMemories(tx, [...gone.ids]);
      // P2
      await keepPurgeDebt(tx, `${filesDebt}${ids[0] ?? users[0]}`);
      await also(tx);
      return [];
    });
    if (left.length === 0) return;
    await eraseUsers(deps, gone, { ids: [], users: left });
  }
}

const filesDebt = 'files:';

/** P3 */
async function forgetAll({ ledger, index, follower }: PurgeDeps): Promise<void> {
  const debts = await purgeDebts(ledger.committed);
  await follower.catchUp();
  await index.forget();
  await ledger.forget();
  const paid = debts.filter((debt) => debt.startsWith(filesDebt));
  if (paid.length === 0) return;
  await ledger.transact(async (tx) => {
    for (const debt of paid) await settlePurgeDebt(tx, debt);
  });
}

/** What was left because it still ran, or because the process died. */
export async function settlePurges(deps: PurgeDeps): Promise<void> {
  const sql = deps.ledger.committed;
  const debts = await purgeDebts(sql);
  let settled = debts.filter((debt) => debt.startsWith(filesDebt)).length;
  for (const user of debts) {
    if (user.startsWith(filesDebt) || !(await isUserOver(sql, user))) continue;
    const seen = { ids: [], users: [user], later: new Set<string>() };
    await takeAway(deps, seen, async (tx) => {
      if (!isMailDebt(user)) await settlePurgeDebt(tx, user);
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
