/**
 * The journal of an operation: one row a step, in the order in which it happened. The state
 * of a run is the fold of its steps (fold.ts), so resuming is folding again.
 *
 * S1. A step is never changed. What it says is our own shape under `version`, so that a
 *     vendor's change never touches what is stored; golden journals of each version are kept
 *     and folded by a test.
 * S2. Between `asked` and `answered` the model was called, and its end is not known: a run that
 *     finds `asked` last writes `lost`, which counts as spent what was held.
 * S3. Calls of tools are rows of their own, under the key of (operation, turn, place), so
 *     that no call is made twice; `results` says what the model was told of them.
 */

import type { AnswerPart, FinishReason } from '../agent/model.ts';
import type { ErrorReport } from '../errors.ts';

export const stepVersion = 1;

export interface MailIn {
  readonly id: string;
  readonly from: string;
  readonly kind: string;
  readonly thread?: string | undefined;
  readonly re?: string | undefined;
  readonly text: string;
}

/** A memory as a model is told of it. */
export interface RememberedItem {
  readonly id: number;
  readonly owner: string;
  readonly scope: string;
  readonly key: string;
  readonly version: number;
  readonly why: 'pinned' | 'fits';
  /** Perhaps cut. */
  readonly text: string;
}

/** What was held for one model call. */
export interface Hold {
  readonly tokens: number;
  readonly cost: number;
}

export type Step =
  | {
      readonly kind: 'begun';
      readonly goal: string;
      /** Which agent took it, and why. */
      readonly because: string;
      readonly instructions: string;
      readonly model: string;
      readonly is_scripted: boolean;
      /** The operation that it was forked from, and at which of its steps. */
      readonly forked_from?: { readonly operation: string; readonly step: number } | undefined;
    }
  /** What was told of memories, before anything else. */
  | { readonly kind: 'remembered'; readonly items: readonly RememberedItem[] }
  | { readonly kind: 'mail'; readonly messages: readonly MailIn[] }
  | { readonly kind: 'asked'; readonly turn: number; readonly model: string; readonly hold: Hold }
  | {
      readonly kind: 'answered';
      readonly turn: number;
      readonly parts: readonly AnswerPart[];
      readonly finish: FinishReason;
      readonly usage: StoredUsage;
      /** In millionths of a dollar; null where the price is not known. */
      readonly cost: number | null;
      /** Why its calls are not made: a budget does not cover them. */
      readonly spent?: ErrorReport | undefined;
    }
  | {
      readonly kind: 'lost';
      readonly turn: number;
      /** Whose fault it was: the daemon ended, or the model's answer did. */
      readonly cause: 'daemon' | 'model';
      readonly why: string;
    }
  | { readonly kind: 'results'; readonly turn: number; readonly results: readonly ShownResult[] }
  /** Said to the model and to a reader of the journal: a warning of the runtime. */
  | { readonly kind: 'note'; readonly code: string; readonly text: string }
  /** What was said before and including step `up_to` is this, from here on. */
  | {
      readonly kind: 'summary';
      readonly up_to: number;
      readonly text: string;
      readonly usage: StoredUsage;
    }
  | { readonly kind: 'checkpoint'; readonly why: string }
  | { readonly kind: 'ended'; readonly state: EndState; readonly text: string };

/** What a call took, in tokens. */
export interface StoredUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export type EndState = 'completed' | 'failed' | 'cancelled';

/** What the model was told of a call. */
export interface ShownResult {
  /** As the model named the call. */
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly is_error: boolean;
  /** Of the call in the journal of tools; empty where none was made. */
  readonly call_id: string;
}

export interface JournalStep {
  readonly seq: number;
  readonly at: number;
  readonly step: Step;
}

/** Unique for each call of each turn; the same whenever the turn is run again. */
export function callKey(operation: string, turn: number, place: number): string {
  return `run:${operation}/${turn}/${place}`;
}

/** The operation for which a call was made; undefined for a call that belongs to no run. */
export function operationOfKey(key: string): string | undefined {
  return isRunKey(key) ? key.slice('run:'.length, key.indexOf('/')) : undefined;
}

/** Whether a run waits for the call, so that its agent need not be told by a message. */
export function isRunKey(key: string): boolean {
  return /^run:[0-9a-f]{32}\/\d+\/\d+$/.test(key);
}
