/** Journals of an earlier version, as files: made once, and read by every version after it. */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversationOf } from '../../src/kernel/journal/compact.ts';
import {
  foldSteps,
  type JournalStep,
  type RunState,
  stepVersion,
} from '../../src/kernel/journal/step.ts';
import type { Transaction } from '../../src/ledger/ledger.ts';
import { readSteps } from '../../src/ledger/operations/steps.ts';
import { seededRandom } from '../sim/random.ts';
import { type Scene, sendMail } from './golden-scenes.ts';
import { type TemporaryRuntime, temporaryRuntime } from './temporary-runtime.ts';

export interface GoldenRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly version: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface GoldenJournal {
  readonly name: string;
  readonly what: string;
  readonly rows: readonly GoldenRow[];
  readonly expected: {
    readonly state: RunState;
    /** SHA-256 of what the model is told, as JSON. */
    readonly messages_digest: string;
    readonly end: string;
    /** The column `result`. */
    readonly result: unknown;
    /** What the tools did. */
    readonly effects: readonly string[];
  };
}

const folder = join(import.meta.dirname, '../golden/journals');

export function readGolden(version: number): readonly GoldenJournal[] {
  const of = join(folder, `v${version}`);
  return readdirSync(of)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(of, name), 'utf8')) as GoldenJournal);
}

export function writeGolden(journal: GoldenJournal): void {
  const path = join(folder, `v${stepVersion}`, `${journal.name}.json`);
  writeFileSync(path, `${JSON.stringify(journal, null, 2)}\n`);
}

export function expectedOf(steps: readonly JournalStep[]) {
  const messages = conversationOf(steps, { resultCharacters: 64 * 1024 }).map((message) =>
    // The rules of the house behind the instructions are no part of a journal.
    message.role === 'system' ? { ...message, text: message.text.split('\n\n')[0] } : message,
  );
  return {
    state: foldSteps(steps),
    messages_digest: hash('sha256', JSON.stringify(messages)),
  };
}

/** Plays the scene with the real loop, from its beginning to its end. */
export async function playScene(scene: Scene): Promise<GoldenJournal> {
  const effects: string[] = [];
  const random = seededRandom(scene.name);
  await using home = await temporaryRuntime({ ...scene.choices(effects), random });
  const first = await beginScene(home, scene);
  if (scene.next !== undefined) effects.length = 0;
  const id = scene.next === undefined ? first : await scene.next(home, first);
  const { state: end, result } = await endScene(home, scene, id);
  const rows = await home.ledger.committed.all<Omit<GoldenRow, 'body'> & { body: string }>(
    'select seq, at, kind, version, body from steps where operation = $1 order by seq',
    [id],
  );
  const golden = rows.map((row) => ({ ...row, body: JSON.parse(row.body) }));
  const steps = await home.steps(id);
  return {
    ...{ name: scene.name, what: scene.what },
    rows: golden,
    expected: {
      ...{ ...expectedOf(steps), end, result: JSON.parse(result ?? 'null') },
      effects: [...keptEffects(golden), ...effects],
    },
  };
}

/** Of the operation that it was forked from. */
function keptEffects(rows: readonly GoldenRow[]): readonly string[] {
  const [begun] = rows.map(stepOf);
  const from = begun?.step.kind === 'begun' ? begun.step.forked_from?.step : undefined;
  return effectsIn(rows.slice(0, from ?? 0));
}

async function beginScene(home: TemporaryRuntime, scene: Scene): Promise<string> {
  if (scene.mail === undefined) {
    const id = await home.begin(scene.order);
    if (scene.next !== undefined) await home.until(id, scene.end);
    return id;
  }
  await home.begin({ goal: undefined });
  await sendMail(home, scene.mail);
  const goal = { text: 'Do it.', owner: 'owner', agent: 'jean' };
  return (await home.scheduler.submit(goal)).operationId;
}

async function endScene(home: TemporaryRuntime, scene: Scene, id: string) {
  await home.when(async () => {
    if (scene.asks) await approveAll(home);
    return (await home.operation(id)).ended_at !== null;
  }, `${scene.name} is over`);
  return home.operation(id);
}

async function approveAll({ ledger, calls }: TemporaryRuntime): Promise<void> {
  const asked = await ledger.committed.all<{ id: string; hash: string }>(
    `select id, hash from approvals where state = 'waiting'`,
  );
  const verdict = { kind: 'approve', scope: 'once' } as const;
  for (const { id, hash: shown } of asked) {
    await calls.answer({ id, hash: shown, by: 'owner', verdict });
  }
}

/** What the ledger makes of these rows, written down as they are. */
export async function readRows(rows: readonly GoldenRow[]): Promise<readonly JournalStep[]> {
  await using home = await temporaryRuntime();
  const id = await home.begin({ goal: { text: 'Do it.', delayMs: hourMs } });
  await home.ledger.transact((tx) => insertRows(tx, id, rows));
  return readSteps(home.ledger.committed, id);
}

const hourMs = 3_600_000;

async function insertRows(
  tx: Transaction,
  operation: string,
  rows: readonly GoldenRow[],
): Promise<void> {
  for (const { seq, at, kind, version, body } of rows) {
    await tx.run(
      'insert into steps (operation, seq, at, kind, version, body) values ($1, $2, $3, $4, $5, $6)',
      [operation, seq, at, kind, version, JSON.stringify(body)],
    );
  }
  await tx.run('update operations set steps = $2 where id = $1', [operation, rows.length]);
}

export interface Resumed {
  readonly end: string;
  readonly result: unknown;
  readonly effects: readonly string[];
}

/** The run after its process died behind so many steps: it goes on from there. */
export async function resumeScene(
  scene: Scene,
  journal: GoldenJournal,
  count: number,
): Promise<Resumed> {
  const rows = journal.rows.slice(0, count);
  const effects = effectsIn(rows);
  await using home = await temporaryRuntime(scene.choices(effects));
  const goal = { text: 'Do it.', ...scene.order?.goal, delayMs: hourMs };
  const id = await home.begin({ ...scene.order, goal });
  const { usage } = foldSteps(rows.map(stepOf));
  await home.ledger.transact(async (tx) => {
    await insertRows(tx, id, rows);
    await tx.run('update budgets set tokens_used = $1, tool_calls_used = $2', [
      ...[usage.tokens, callsPaidIn(rows)],
    ]);
    await tx.run('update operations set due_at = created_at where id = $1', [id]);
  });
  const isRead = rows.some(({ kind }) => kind === 'mail');
  if (scene.mail !== undefined && !isRead) await sendMail(home, scene.mail);
  home.scheduler.wake();
  const { state: end, result } = await endScene(home, scene, id);
  return { end, result: JSON.parse(result ?? 'null'), effects };
}

function stepOf({ seq, at, body }: GoldenRow): JournalStep {
  // The border: what a golden journal holds is what this is to show.
  return { seq, at, step: body as unknown as JournalStep['step'] };
}

function callsPaidIn(rows: readonly GoldenRow[]): number {
  const answers = rows.map(stepOf).flatMap(({ step }) => (step.kind === 'answered' ? [step] : []));
  return answers
    .filter(({ spent }) => spent === undefined)
    .flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'tool-call')).length;
}

/** What was done in the turns whose results are there. */
function effectsIn(rows: readonly GoldenRow[]): string[] {
  return rows.flatMap(({ kind, body }) =>
    kind === 'results'
      ? (body['results'] as readonly { text: string }[]).map(({ text }) => text.slice(0, 2))
      : [],
  );
}

/** The fields of every kind of step, as paths: `answered.usage.input_tokens`. */
export function fieldsOf(rows: readonly GoldenRow[]): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const one of value) look(one, path);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        found.add(`${path}.${key}`);
        // What stands in these is not ours.
        if (!['args', 'meta'].includes(key)) look(inner, `${path}.${key}`);
      }
    }
  };
  for (const { kind, body } of rows) look(body, kind);
  return found;
}
