/**
 * What runs leave behind in the memory of their agent: what they came to, for whoever reviews it,
 * and what was said before it was made shorter. Nothing of it is told to a model by itself, and
 * nothing is kept of an operation that has a key of its own, because that is to be erased.
 */
import type { AosError } from '../kernel/errors.ts';
import type { Step } from '../kernel/journal/step.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { isToBePurged } from '../ledger/memory/uses.ts';
import { findOperation } from '../ledger/operations/operations.ts';
import { outcomeTag } from '../memory/pack.ts';
import { storeIn } from '../memory/store.ts';
import type { Run } from './model/deps.ts';

const dayMs = 86_400_000;
const outcomeMs = 90 * dayMs;
const summaryMs = 7 * dayMs;
const longestGoal = 2000;
const longestText = 4000;

export interface Outcome {
  readonly operation: { readonly id: string; readonly agent: string };
  readonly ending:
    | { readonly state: 'completed'; readonly text: string }
    | { readonly state: 'failed' | 'cancelled'; readonly error: AosError };
  readonly at: Instant;
}

export async function keepOutcome(
  tx: Transaction,
  { operation: { id, agent }, ending, at }: Outcome,
): Promise<void> {
  const row = await findOperation(tx, id);
  if (row === undefined || row.is_sealed === 1 || (await isToBePurged(tx, id))) return;
  const result =
    ending.state === 'completed'
      ? { result: cut(ending.text, longestText) }
      : { error: ending.error.code, why: cut(ending.error.message, longestText) };
  await storeIn(
    tx,
    {
      place: { owner: `agent:${agent}`, scope: 'long-term', key: `outcomes/${id}` },
      value: { goal: cut(row.goal, longestGoal), state: ending.state, ...result },
      tags: [outcomeTag, ending.state],
      ttlMs: outcomeMs,
      ...{ author: 'system', source: `operation:${id}` },
    },
    at,
  );
}

/** The originals stay in the journal. */
export async function keepSummary(
  tx: Transaction,
  { operation: { id, is_sealed }, agent }: Run,
  { text, up_to }: Extract<Step, { kind: 'summary' }>,
  at: Instant,
): Promise<void> {
  if (is_sealed === 1) return;
  await storeIn(
    tx,
    {
      place: { owner: `agent:${agent}`, scope: 'context', key: `runs/${id}/summary` },
      ...{ value: text, tags: ['summary'], ttlMs: summaryMs },
      ...{ author: 'system', source: `operation:${id}/${up_to}`, operation: id },
    },
    at,
  );
}

function cut(text: string, longest: number): string {
  const whole = text.toWellFormed().replaceAll('\0', ' ');
  return whole.length <= longest ? whole : `${whole.slice(0, longest).toWellFormed()} […]`;
}
