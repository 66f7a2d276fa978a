/**
 * What is done after the end of an operation. Until it is done, the operation shows as running:
 * who sees that it is over finds everything there, and nothing that should be gone.
 *
 * F1. One step after another, each harmless to repeat, and how far it came is in the row. Who
 *     dies at any line is followed by the next process that opens the home.
 * F2. Nothing of the journal is erased before what is to be told of it is kept; the key is
 *     destroyed after the rows it seals are digests, and the log of the ledger is cut off last.
 * F3. Its folder is a copy of what the rows say. Where it cannot be written, nothing waits for
 *     that, and it is tried again later.
 * F4. What was deleted while its folder was written may have got its name there again: then the
 *     folder is written once more.
 */
import { hash } from 'node:crypto';
import { removeTree } from '../kernel/disk/durable-file.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { JournalStep, ShownResult, Step } from '../kernel/journal/step.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { artifactsOf } from '../ledger/operations/artifacts.ts';
import {
  endFinish,
  eraseGoal,
  keepLog,
  moveFinish,
  noteAlert,
  readLog,
  unfinishedOperations,
} from '../ledger/operations/finish.ts';
import {
  type FinishStep,
  findOperation,
  type OperationRow,
} from '../ledger/operations/operations.ts';
import { eraseSteps, readSteps } from '../ledger/operations/steps.ts';
import { eraseCalls } from '../ledger/security/journal.ts';
import { workspaceOf } from '../security/agent-folders.ts';
import type { OperationsDeps } from './deps.ts';
import { writeFolder } from './folder.ts';
import { alertOnce } from './monitor.ts';

const batchRows = 50;

/** All that are due. What fails is told and left for the next time. */
export async function finishAll(deps: OperationsDeps, signal?: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await unfinishedOperations(deps.ledger.committed, { after, limit: batchRows });
    for (const row of rows) {
      if (signal?.aborted === true) return;
      await finishOne(deps, row.id).catch((failure: unknown) => tellOfTrouble(deps, row, failure));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) return;
    after = last.id;
  }
}

/** Until it is done, the operation runs to its submitter. */
async function tellOfTrouble(
  deps: OperationsDeps,
  row: OperationRow,
  failure: unknown,
): Promise<void> {
  deps.log.error({ err: failure, operation: row.id }, 'an operation cannot be finished now');
  const { code, message } = toReport(failure);
  const body = `Operation ${row.id} has ended and cannot be finished: ${code}: ${message}\n\nIt is tried again all the time; what it has left is there until then.\n`;
  await alertOnce(deps, row, { name: 'finish', body, data: { what: 'finish', code } });
}

// F1
export async function finishOne(deps: OperationsDeps, id: string): Promise<void> {
  for (;;) {
    const row = await findOperation(deps.ledger.committed, id);
    if (row === undefined || row.finish === null || row.ended_at === null) return;
    await steps[row.finish](deps, row);
  }
}

type Work = (deps: OperationsDeps, row: OperationRow) => Promise<void>;

const steps: Readonly<Record<FinishStep, Work>> = {
  due: async (deps, row) => {
    const written = await tryFolder(deps, row);
    const log = row.is_sealed === 1 ? JSON.stringify(await linesToKeep(deps, row)) : undefined;
    await deps.ledger.transact(async (tx) => {
      // F4
      if (written !== undefined && !(await areStill(tx, row.id, written))) return;
      if (log !== undefined) await keepLog(tx, row.id, log);
      if (written === undefined) await noteAlert(tx, row.id, 'folder');
      await moveFinish(tx, row.id, { from: 'due', to: 'stored' });
    });
  },
  stored: async (deps, row) => {
    if (row.is_sealed === 1) await erase(deps, row);
    await deps.ledger.transact((tx) =>
      row.is_sealed === 1
        ? moveFinish(tx, row.id, { from: 'stored', to: 'erased' })
        : endFinish(tx, row.id, 'stored'),
    );
  },
  erased: async (deps, { id }) => {
    await deps.ledger.forget();
    await deps.ledger.transact(async (tx) => {
      if (!(await endFinish(tx, id, 'erased'))) return;
      const subject = `operation:${id}`;
      await tx.record({ actor: 'system', kind: 'operation.finished', subject });
    });
  },
  again: async (deps, row) => {
    const written = await writeFolder(deps, row);
    await deps.ledger.transact(async (tx) => {
      // F4
      if (!(await areStill(tx, row.id, written))) return;
      await moveFinish(tx, row.id, { from: 'again', to: null });
    });
  },
};

/** Whether these, by their ids, are the artifacts that are there. */
async function areStill(tx: Transaction, id: string, written: readonly string[]): Promise<boolean> {
  const rows = await artifactsOf(tx, id);
  return rows.length === written.length && rows.every((row, place) => row.id === written[place]);
}

/** What is damaged tells nothing, and is erased as all else. */
async function linesToKeep(deps: OperationsDeps, row: OperationRow): Promise<readonly string[]> {
  try {
    return await linesOf(deps, row);
  } catch (failure) {
    if (!(failure instanceof AosError) || !failure.code.startsWith('operation.')) throw failure;
    return [`${failure.code}: its steps cannot be read`];
  }
}

// F3
async function tryFolder(
  deps: OperationsDeps,
  row: OperationRow,
): Promise<readonly string[] | undefined> {
  try {
    return await writeFolder(deps, row);
  } catch (failure) {
    deps.log.error(
      { err: failure, operation: row.id },
      'the folder of an operation is not written',
    );
    return undefined;
  }
}

/** As they were when they were kept; else as the journal tells them. */
export async function linesOf(
  { ledger }: Pick<OperationsDeps, 'ledger'>,
  { id }: Pick<OperationRow, 'id'>,
): Promise<readonly string[]> {
  const kept = await readLog(ledger.committed, id);
  // Only finish() writes it.
  if (kept !== null) return JSON.parse(kept) as readonly string[];
  return (await readSteps(ledger.committed, id)).map(logLine);
}

// F2
async function erase(deps: OperationsDeps, row: OperationRow): Promise<void> {
  const { ledger, operationKeys, disk, home } = deps;
  for (let isDone = false; !isDone; ) {
    isDone = await ledger.transact(async (tx) => {
      const stepsGone = await eraseSteps(tx, row.id, digestOf);
      return (await eraseCalls(tx, row, digestOf)) && stepsGone;
    });
  }
  await ledger.transact((tx) => eraseGoal(tx, row.id, digestOf));
  await operationKeys.destroy(row.id);
  await removeTree(disk, workspaceOf(home, row.agent));
}

/** Of what was stored, which is sealed: from it no reader can guess what it was. */
function digestOf(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}

// What is told of the steps of an operation: what was done, and never what was said.

/** One line for each step. */
export function logLine({ at, step }: JournalStep): string {
  return `${new Date(at).toISOString()} ${wordsOf(step)}`;
}

function wordsOf(step: Step): string {
  switch (step.kind) {
    case 'begun':
      return `begun: ${step.because}`;
    case 'remembered':
      return `told of ${step.items.length} memory(s)`;
    case 'mail':
      return `${step.messages.length} message(s) came in`;
    case 'asked':
      return `turn ${step.turn}: the model is asked`;
    case 'answered':
      return `turn ${step.turn}: the model has answered${callsIn(step)}`;
    case 'lost':
      return `turn ${step.turn}: the answer was lost, and is asked for again`;
    case 'results':
      return `turn ${step.turn}: ${step.results.map(resultWords).join(', ')}`;
    case 'note':
      return `a warning: ${step.code}`;
    case 'summary':
      return 'what was said before was made shorter';
    case 'checkpoint':
      return 'put aside, to go on from here';
    case 'ended':
      return `ended: ${step.state}`;
  }
}

// What a model calls a tool is said by the model, until there is a tool that was called.
function callsIn({ parts }: Extract<Step, { kind: 'answered' }>): string {
  const { length } = parts.filter(({ kind }) => kind === 'tool-call');
  return length === 0 ? '' : `, and makes ${length} call(s)`;
}

function resultWords({ tool, is_error, call_id }: ShownResult): string {
  if (call_id === '') return 'a call was refused';
  return `${tool} ${is_error ? 'has failed' : 'is done'}`;
}
