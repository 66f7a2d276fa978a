/** Erasing at the users that have seen a memory: calls, operations, messages (P1 of purge.ts). */
import { operationOfKey } from '../kernel/journal/step.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { hideMemories, memoriesMadeBy } from '../ledger/memory/memories.ts';
import { keepPurgeDebt, settlePurgeDebt, usersOfMemories } from '../ledger/memory/uses.ts';
import { eraseMessage } from '../ledger/messages/messages.ts';
import {
  eraseOpenNotes,
  notesOfOperation,
  operationsWithMail,
  purgeTexts,
} from '../ledger/operations/finish.ts';
import {
  findOperation,
  type OperationRow,
  operationsBelow,
} from '../ledger/operations/operations.ts';
import { eraseSteps } from '../ledger/operations/steps.ts';
import {
  type CallOfRun,
  callsWithMessage,
  eraseCall,
  eraseCalls,
  notesOfCall,
} from '../ledger/security/journal.ts';
import type { MemoryDeps } from './deps.ts';

export type EraseDeps = Pick<MemoryDeps, 'ledger' | 'clock' | 'eraseFiles'>;

/** What is to go, as far as it is known; both grow. */
export interface ToErase {
  /** Memories. */
  readonly ids: Set<number>;
  /** Who has seen them. */
  readonly users: Set<string>;
  /** Operations that still run. */
  readonly later: Set<string>;
}

/** With all that has it from them, and with what operations left behind by themselves. */
export async function eraseUsers(
  deps: EraseDeps,
  known: ToErase,
  begin: { readonly ids: readonly number[]; readonly users: readonly string[] },
): Promise<void> {
  let found = new Set([...begin.users, ...(await takeIn(deps, known.ids, begin.ids))]);
  while (found.size > 0) {
    // It grows meanwhile.
    for (const user of found) {
      known.users.add(user);
      for (const each of await heirsOf(deps, known, user)) found.add(each);
    }
    // Users that have it from another first: a process that dies finds the others again, and by
    // them these.
    for (const user of [...found].reverse()) await eraseUser(deps, user, known.later);
    // Something may have been sent, taken or left behind before it was erased.
    found = new Set();
    for (const user of known.users) {
      for (const each of await heirsOf(deps, known, user)) found.add(each);
    }
  }
}

/** Who has it from this one or from what it left behind, and is not known yet. */
async function heirsOf(
  deps: EraseDeps,
  { ids, users }: ToErase,
  user: string,
): Promise<readonly string[]> {
  const sql = deps.ledger.committed;
  const left = user.startsWith('operation:') ? await memoriesMadeBy(sql, user) : [];
  const heirs = [...(await partnersOf(sql, user)), ...(await takeIn(deps, ids, left))];
  return heirs.filter((each) => !users.has(each));
}

/** From then on they are shown to no reader, so those that have seen them are all. */
async function takeIn(
  { ledger, clock }: EraseDeps,
  ids: Set<number>,
  more: readonly number[],
): Promise<readonly string[]> {
  const fresh = more.filter((id) => !ids.has(id));
  if (fresh.length === 0) return [];
  for (const id of fresh) ids.add(id);
  await ledger.transact((tx) => hideMemories(tx, fresh, clock.now()));
  return usersOfMemories(ledger.committed, fresh);
}

/** Who has it from this one, or gave it to this one. */
async function partnersOf(sql: Sql, user: string): Promise<readonly string[]> {
  const { kind, id } = partsOf(user);
  if (kind === 'message') return readersOf(sql, id);
  return kind === 'operation' ? informedBy(sql, id) : [];
}

/** Who has sent or read a message. */
async function readersOf(sql: Sql, id: string): Promise<readonly string[]> {
  const calls = await callsWithMessage(sql, id);
  const operations = await operationsWithMail(sql, id);
  return [...calls.flatMap(usersIn), ...operations.map((operation) => `operation:${operation}`)];
}

/** Goals are made of what it has seen, and the submitter was told what it came to. */
async function informedBy(sql: Sql, id: string): Promise<readonly string[]> {
  const children = await operationsBelow(sql, id);
  const notes = await notesOfOperation(sql, id);
  return [
    ...children.map((child) => `operation:${child}`),
    ...notes.map((note) => `message:${note}`),
  ];
}

function partsOf(user: string): { readonly kind: string; readonly id: string } {
  const [kind = '', id = ''] = user.split(/:(.*)/s);
  return { kind, id };
}

/** The call, and the operation that it was made for. */
export function usersIn({ call_id, idempotency_key }: CallOfRun): readonly string[] {
  const operation = operationOfKey(idempotency_key);
  return [`tool-call:${call_id}`, ...(operation === undefined ? [] : [`operation:${operation}`])];
}

async function eraseUser(deps: EraseDeps, user: string, later: Set<string>): Promise<void> {
  const { kind, id } = partsOf(user);
  if (kind === 'tool-call') await eraseOneCall(deps, id);
  if (kind === 'message') await eraseOneMessage(deps, id);
  if (kind === 'operation' && !(await eraseOperation(deps, id))) later.add(id);
}

/** With what the system itself has told of it. */
async function eraseOneCall(deps: EraseDeps, id: string): Promise<void> {
  await eraseMail(deps, async (tx) => {
    const notes = await notesOfCall(tx, id);
    await eraseCall(tx, id, asPurged);
    return notes;
  });
}

async function eraseOneMessage(deps: EraseDeps, id: string): Promise<void> {
  await eraseMail(deps, async (tx) => {
    await eraseMessage(tx, id, asPurged());
    return [id];
  });
}

/**
 * Erases the rows of messages, and then their files: a delivery from now on has no text for it.
 * That files still hold it is a debt until they are gone (P2 of purge.ts).
 */
async function eraseMail(
  { ledger, eraseFiles }: EraseDeps,
  eraseRows: (tx: Transaction) => Promise<readonly string[]>,
): Promise<void> {
  const messages = await ledger.transact(async (tx) => {
    const erased = await eraseRows(tx);
    for (const id of erased) await keepPurgeDebt(tx, mailDebt(id));
    return erased;
  });
  for (const id of messages) {
    if ((await eraseFiles?.(id)) === false) continue;
    await ledger.transact((tx) => settlePurgeDebt(tx, mailDebt(id)));
  }
}

const mailPrefix = 'message:';

function mailDebt(id: string): string {
  return `${mailPrefix}${id}`;
}

/** Whether it is settled as soon as its files are gone, and not before. */
export function isMailDebt(debt: string): boolean {
  return debt.startsWith(mailPrefix);
}

/** False where it still runs: then it is noted for later. */
async function eraseOperation({ ledger }: EraseDeps, id: string): Promise<boolean> {
  const row = await findOperation(ledger.committed, id);
  if (row === undefined) return true;
  if (!isOver(row)) {
    await ledger.transact((tx) => keepPurgeDebt(tx, `operation:${id}`));
    return false;
  }
  // A page a transaction: other callers go on in between.
  while (!(await ledger.transact((tx) => eraseSome(tx, row)))) {}
  await ledger.transact(async (tx) => {
    await purgeTexts(tx, id);
    await eraseOpenNotes(tx, id, asPurged());
  });
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

/** Whether nothing more can come of it. */
export async function isUserOver(sql: Sql, user: string): Promise<boolean> {
  const { kind, id } = partsOf(user);
  const row = kind === 'operation' ? await findOperation(sql, id) : undefined;
  return row === undefined || isOver(row);
}
