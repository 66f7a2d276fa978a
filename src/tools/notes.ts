/** What people and agents are told about calls that do not end while their caller waits. */
import { isRunKey } from '../kernel/journal/step.ts';
import type { Note } from '../kernel/message/message.ts';
import { keepPurgeDebt } from '../ledger/memory/uses.ts';
import { findApproval } from '../ledger/security/approvals.ts';
import {
  approvalNoteKey,
  type CallRow,
  endNoteKey,
  isPurgedCall,
  operationOfCall,
} from '../ledger/security/journal.ts';
import type { CallDeps } from './deps.ts';
import type { CallOutcome } from './outcome.ts';

/** Nothing is told once it has been answered. */
export async function tellOfApproval(
  { ledger, notify }: Pick<CallDeps, 'ledger' | 'notify'>,
  id: string,
): Promise<void> {
  const approval = await findApproval(ledger.committed, id);
  if (approval?.state !== 'waiting') return;
  // A message is kept as it is; what an outsider's operation asks for is not.
  const operation = await operationOfCall(ledger.committed, approval.call_id);
  const isSealed = operation !== undefined && ledger.committed.bodies?.has(operation) === true;
  const shown = isSealed ? `${approval.tool}: ${approval.reason}\n` : approval.shown;
  const how = `aos approvals approve ${id}\naos approvals deny ${id} --reason WHY`;
  await notify({
    to: 'owner',
    key: approvalNoteKey(id),
    body: `Somebody waits for your approval.\n\n${shown}\nHASH: ${approval.hash}\n\n${how}\n`,
  });
}

const longestTold = 64 * 1024;

/**
 * To the caller: how the call ended that it no longer waits for. It is in the journal too,
 * so a message that cannot be sent (a full mailbox, an agent that is over) stops nothing.
 */
export async function tellOfEnd(
  deps: Pick<CallDeps, 'ledger' | 'notify' | 'log'>,
  {
    call_id,
    principal,
    tool,
    runs,
    idempotency_key,
  }: Pick<CallRow, 'call_id' | 'principal' | 'tool' | 'runs' | 'idempotency_key'>,
  outcome: CallOutcome,
): Promise<void> {
  // A run waits for the calls that it makes, also over a restart.
  if (isRunKey(idempotency_key)) return;
  const head = `CALL: ${call_id}\nTOOL: ${tool}\nSTATE: ${outcome.kind}\nTRUST: data\n`;
  const isPurged = () => isPurgedCall(deps.ledger.committed, call_id);
  // What it has seen was purged while it ran.
  const wasPurged = await isPurged();
  await tellQuietly(deps, {
    to: principal,
    key: endNoteKey(call_id, { runs, end: wordFor(outcome) }),
    body: `${head}\n${wasPurged ? 'purged' : contentOf(outcome)}\n`,
  });
  if (wasPurged || !(await isPurged())) return;
  // In between: the message is erased with the call once more.
  await deps.ledger.transact((tx) => keepPurgeDebt(tx, `tool-call:${call_id}`));
}

export async function tellQuietly(
  { notify, log }: Pick<CallDeps, 'notify' | 'log'>,
  note: Note,
): Promise<void> {
  try {
    await notify(note);
  } catch (failure) {
    log.error({ err: failure, to: note.to, key: note.key }, 'somebody could not be told of a call');
  }
}

// Each end of a call is told once; that it is not known is not its end.
function wordFor(outcome: CallOutcome): string {
  const isUnsure = outcome.kind === 'failed' && outcome.error.code === 'tool.unsure';
  return isUnsure ? 'unsure' : outcome.kind;
}

function contentOf(outcome: CallOutcome): string {
  if (outcome.kind === 'failed') {
    const { code, message, fix } = outcome.error;
    return JSON.stringify({ code, message, fix });
  }
  if (outcome.kind !== 'answered') return '';
  const text = JSON.stringify(outcome.output);
  // What is too long for a message is in the journal.
  return text.length <= longestTold
    ? text
    : JSON.stringify({ too_long: true, bytes: outcome.bytes });
}
