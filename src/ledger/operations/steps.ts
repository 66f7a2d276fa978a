/** The steps of operations as rows: kernel/journal/step.ts says what is in them. */
import { AosError } from '../../kernel/errors.ts';
import { type JournalStep, type Step, stepVersion } from '../../kernel/journal/step.ts';
import type { Instant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Sql, SqlValue, Transaction } from '../ledger.ts';

// Every kind, so that a new one cannot be forgotten here.
const kinds: Readonly<Record<Step['kind'], true>> = {
  begun: true,
  remembered: true,
  mail: true,
  asked: true,
  answered: true,
  lost: true,
  results: true,
  note: true,
  summary: true,
  checkpoint: true,
  ended: true,
};

// So that few statements are prepared, whatever comes together.
const mostAtOnce = 16;

/**
 * Appends what happened, and tells how many steps there are now. An operation that is over
 * takes none: work that comes late is refused, and `ended` is written before the row ends.
 */
export async function appendSteps(
  tx: Transaction,
  operation: string,
  steps: readonly Step[],
  at: Instant,
): Promise<number> {
  const row = await tx.get<{ steps: number }>(
    `update operations set steps = steps + $2
     where id = $1 and state in ('queued', 'running', 'waiting', 'paused') returning steps`,
    [operation, steps.length],
  );
  if (row === undefined) throw takesNoSteps(operation);
  const first = row.steps - steps.length + 1;
  for (let done = 0; done < steps.length; done += mostAtOnce) {
    const some = steps.slice(done, done + mostAtOnce);
    await insertSteps(
      tx,
      some.map((step, place) => [
        operation,
        first + done + place,
        at,
        ...written(tx, operation, step),
      ]),
    );
  }
  return row.steps;
}

function written(
  { bodies }: Sql,
  operation: string,
  step: Step,
): [kind: string, version: number, body: SqlValue] {
  const text = JSON.stringify(step);
  return [step.kind, stepVersion, bodies?.close(operation, text) ?? text];
}

async function insertSteps(tx: Transaction, rows: readonly SqlValue[][]): Promise<void> {
  let place = 1;
  const values = rows.map((row) => `(${row.map(() => `$${place++}`).join(', ')})`).join(', ');
  await tx.run(
    `insert into steps (operation, seq, at, kind, version, body) values ${values}`,
    rows.flat(),
  );
}

function takesNoSteps(operation: string): AosError {
  return new AosError('operation.over', {
    message: `Operation ${quote(operation)} is over or gone, so nothing is added to its journal`,
    fix: 'Submit the goal again, or fork it: aos retry ID --from STEP',
  });
}

interface StepRow {
  readonly seq: number;
  readonly at: Instant;
  readonly kind: string;
  readonly version: number;
  readonly body: string;
}

export interface StepRange {
  /** Only steps behind this one. */
  readonly after?: number | undefined;
  /** Up to and including this one. */
  readonly upTo?: number | undefined;
}

/** In their order. What cannot be read, or is missing in between, is `operation.unread`. */
export async function readSteps(
  sql: Sql,
  operation: string,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER }: StepRange = {},
): Promise<JournalStep[]> {
  const rows = await sql.all<StepRow>(
    `select seq, at, kind, version, body from steps
     where operation = $1 and seq > $2 and seq <= $3 order by seq`,
    [operation, after, upTo],
  );
  return rows.map((row, place) => {
    if (row.seq !== after + place + 1) {
      throw unread(operation, after + place + 1, 'is missing');
    }
    const body = sql.bodies?.open(row.body) ?? row.body;
    return { seq: row.seq, at: row.at, step: parseStep(operation, { ...row, body }) };
  });
}

function parseStep(operation: string, { seq, kind, version, body }: StepRow): Step {
  if (version > stepVersion) {
    throw unread(operation, seq, 'was written by a newer version of Agent OS');
  }
  if (!Object.hasOwn(kinds, kind)) {
    throw unread(operation, seq, `is of a kind that nobody knows, ${quote(kind.slice(0, 40))}`);
  }
  const step = parseBody(body);
  if (step !== undefined && 'erased' in step) throw wasErased(operation);
  if (step?.kind !== kind) throw unread(operation, seq, 'is damaged');
  // The border: only we write these rows, and the golden journals hold their shape.
  return step as Step;
}

function parseBody(body: string): { readonly kind?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Told by the caller, who knows which step it is.
    return undefined;
  }
}

function unread(operation: string, seq: number, why: string): AosError {
  return new AosError('operation.unread', {
    message: `The journal of operation ${quote(operation)} cannot be read: step ${seq} ${why}`,
    fix: 'Start the daemon in the version that wrote it, or put a backup back: aos restore FILE',
    details: { operation, step: seq },
  });
}

function wasErased(operation: string): AosError {
  return new AosError('operation.erased', {
    message: `The journal of operation ${quote(operation)} was erased when it ended`,
    fix: `Its result and its log are kept: aos op get ${operation}`,
  });
}

/** What was asked last, when what came of it has not been written down. */
export async function openQuestion(
  sql: Sql,
  operation: string,
): Promise<Extract<Step, { kind: 'asked' }> | undefined> {
  const row = await sql.get<Pick<StepRow, 'kind' | 'body'>>(
    `select kind, body from steps where operation = $1 and kind in ('asked', 'answered', 'lost')
     order by seq desc limit 1`,
    [operation],
  );
  // The border, as above; an operation must come to its end also when its journal is damaged.
  const body = row?.body ?? '';
  const step = parseBody(sql.bodies?.open(body) ?? body) as Step | undefined;
  return row?.kind === 'asked' && step?.kind === 'asked' ? step : undefined;
}

/** The beginning of another journal, for one that has no steps yet; tells how many were copied. */
export async function copySteps(
  tx: Transaction,
  from: string,
  to: string,
  upTo: number,
): Promise<number> {
  const copied = await tx.run(
    `insert into steps (operation, seq, at, kind, version, body)
     select $2, seq, at, kind, version, body from steps where operation = $1 and seq <= $3`,
    [from, to, upTo],
  );
  const counted = await tx.run('update operations set steps = $2 where id = $1 and steps = 0', [
    to,
    copied,
  ]);
  if (counted !== 1) throw new Error('steps are copied to an operation that has some, or is gone');
  return copied;
}

/**
 * What a copied journal begins with, in the transaction that copied it: it has not been read yet.
 */
export async function setFirstStep(tx: Transaction, operation: string, step: Step): Promise<void> {
  const [kind, , body] = written(tx, operation, step);
  await tx.run('update steps set body = $3 where operation = $1 and seq = 1 and kind = $2', [
    operation,
    kind,
    body,
  ]);
}

const erasedAtOnce = 100;

/** The bodies of an operation that is over become digests of what was stored; true when none is left. */
export async function eraseSteps(
  tx: Transaction,
  operation: string,
  digestOf: (text: string) => string,
): Promise<boolean> {
  const rows = await tx.all<Pick<StepRow, 'seq' | 'kind' | 'body'>>(
    `select seq, kind, body from steps
     where operation = $1 and body not like '{"kind":"%","erased":"%' order by seq limit $2`,
    [operation, erasedAtOnce],
  );
  for (const { seq, kind, body } of rows) {
    const erased = JSON.stringify({ kind, erased: digestOf(body) });
    await tx.run('update steps set body = $3 where operation = $1 and seq = $2', [
      operation,
      seq,
      erased,
    ]);
  }
  return rows.length < erasedAtOnce;
}
