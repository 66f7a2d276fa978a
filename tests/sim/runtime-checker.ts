/**
 * What has to hold when everything has come to its end, read from the rows and from the log
 * of effects. It shares no code with what it judges, but for the shape of a step.
 */

import { foldSteps, type JournalStep, type Step } from '../../src/kernel/journal/step.ts';
import type { Sql } from '../../src/ledger/ledger.ts';
import { budgetFindings } from './runtime-budget-checker.ts';
import type { RuntimeWorld } from './runtime-world.ts';

export interface CheckedOperation {
  readonly id: string;
  readonly agent: string;
  readonly parent: string | null;
  readonly state: string;
  readonly result: string | null;
  readonly steps: number;
  readonly journal: readonly JournalStep[];
}

export interface CheckedAgent {
  readonly name: string;
  readonly state: string;
  readonly parent: string | null;
}

export async function runtimeFindings(world: RuntimeWorld): Promise<readonly string[]> {
  const { committed } = world.ledger;
  const operations = await readOperations(committed);
  const agents = await committed.all<CheckedAgent>('select name, state, parent from agents');
  return [
    ...operations.flatMap(endFindings),
    ...operations.flatMap((operation) => effectFindings(world, operation)),
    ...onceFindings(world),
    ...agents.flatMap(({ name, state }) => (state === 'running' ? [`lie: ${name} runs`] : [])),
    ...(await leaseFindings(committed)),
    ...operations.flatMap((operation) => hearsay(operation, operations)),
    ...(await budgetFindings(committed, operations)),
  ];
}

async function readOperations(sql: Sql): Promise<readonly CheckedOperation[]> {
  const rows = await sql.all<Omit<CheckedOperation, 'journal'>>(
    'select id, agent, parent, state, result, steps from operations order by id',
  );
  const steps = await sql.all<{ operation: string; seq: number; at: number; body: string }>(
    'select operation, seq, at, body from steps order by operation, seq',
  );
  const journals = Map.groupBy(steps, ({ operation }) => operation);
  return rows.map((row) => ({
    ...row,
    journal: (journals.get(row.id) ?? []).map(({ seq, at, body }) => ({
      ...{ seq, at },
      step: JSON.parse(body) as Step,
    })),
  }));
}

const over = ['completed', 'failed', 'cancelled'];

/** It is over, once, and its journal says the same as its row. */
function endFindings(operation: CheckedOperation): string[] {
  const { id, state, journal, steps, result } = operation;
  const found: string[] = [];
  if (!over.includes(state)) found.push(`open: ${id} of ${operation.agent} is ${state}`);
  if (journal.length !== steps) found.push(`rows: ${id} has ${journal.length} steps, not ${steps}`);
  const gap = journal.findIndex(({ seq }, place) => seq !== place + 1);
  if (gap !== -1) found.push(`rows: ${id} has no step ${gap + 1}`);
  const ends = journal.filter(({ step }) => step.kind === 'ended');
  const last = journal.at(-1)?.step;
  if (!over.includes(state)) return found;
  if (ends.length !== 1 || last?.kind !== 'ended') {
    return [...found, `rows: ${id} is ${state} and has ${ends.length} ends in its journal`];
  }
  const { next } = foldSteps(journal);
  if (next.kind !== 'over' || next.state !== state) found.push(`rows: ${id} folds to ${next.kind}`);
  const told = JSON.parse(result ?? 'null') as { text?: string; error?: unknown } | null;
  if (state === 'completed' && told?.text !== last.text) found.push(`rows: ${id} said otherwise`);
  if (state !== 'completed' && told?.error === undefined) found.push(`rows: ${id} has no reason`);
  return found;
}

/** What the model was told that was done, was done: once. */
function effectFindings({ effects }: RuntimeWorld, { id, journal }: CheckedOperation): string[] {
  const found: string[] = [];
  let asked: readonly { readonly tool: string; readonly text: string }[] = [];
  for (const { step } of journal) {
    if (step.kind === 'answered') {
      asked = step.parts.flatMap((part) =>
        part.kind === 'tool-call'
          ? [{ tool: part.tool, text: (part.args as { text: string }).text }]
          : [],
      );
    }
    if (step.kind !== 'results') continue;
    if (step.results.length !== asked.length) found.push(`results: ${id} has too few`);
    for (const [place, { tool, text, is_error }] of step.results.entries()) {
      const call = asked[place];
      if (call === undefined || is_error || !/^sim\.(once|asking|risky)$/.test(tool)) continue;
      const times = effects.filter((effect) => effect.text === call.text).length;
      const isKnown = text === call.text || text.includes('"resolved":"done"');
      if (times === 0 || !isKnown || (tool !== 'sim.risky' && times !== 1)) {
        found.push(`effect: ${tool} ${call.text} of ${id} was done ${times} times: ${text}`);
      }
    }
  }
  return found;
}

/** Nothing has its effect more often than it was meant to. */
function onceFindings({ effects, redone }: RuntimeWorld): string[] {
  const byText = Map.groupBy(effects, ({ text }) => text);
  return [...byText].flatMap(([text, all]) => {
    const [{ tool, key } = { tool: '', key: '' }] = all;
    const most = tool === 'sim.risky' ? 1 + (redone.get(key) ?? 0) : 1;
    return all.length > most ? [`twice: ${tool} ${text} was done ${all.length} times`] : [];
  });
}

async function leaseFindings(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ subject: string; owner: string }>(
    `select subject, owner from leases where owner <> '' and subject like 'agent:%'`,
  );
  return rows.map(({ subject, owner }) => `lease: ${owner} holds ${subject}, and nothing runs`);
}

/** A parent hears of each child that ended, once; of all of them before it completes. */
function hearsay(child: CheckedOperation, all: readonly CheckedOperation[]): string[] {
  const parent = all.find(({ id }) => id === child.parent);
  if (parent === undefined) return [];
  const times = all
    .filter(({ agent }) => agent === parent.agent)
    .flatMap(({ journal }) => journal)
    .flatMap(({ step }) => (step.kind === 'mail' ? step.messages : []))
    .filter(({ text }) => text.includes(`OPERATION: ${child.id}\n`)).length;
  if (times > 1) return [`told: ${parent.id} heard ${times} times of ${child.id}`];
  const heard = parent.journal.some(
    ({ step }) =>
      step.kind === 'mail' &&
      step.messages.some(({ text }) => text.includes(`OPERATION: ${child.id}\n`)),
  );
  if (parent.state !== 'completed' || heard) return [];
  return [`untold: ${parent.id} completed and had not heard of ${child.id}, ${child.state}`];
}
