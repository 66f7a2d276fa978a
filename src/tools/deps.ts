import type { Note } from '../kernel/message/message.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { Tool } from './tool.ts';

/** What calls are made of. `app` fills it. */
export interface CallDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: CallLimits;
  readonly log: { error(facts: object, words: string): void };
  /** Takes secrets out of whatever is kept or answered. */
  readonly scrubber: ResultScrubber;
  /** Throws `tool.unknown`. */
  tool(name: string): Tool;
  /** Tells an agent or the owner by a message; of several with one key, one is sent. */
  notify(note: Note): Promise<void>;
}

export interface ResultScrubber {
  scrubText(text: string): string;
  scrubJson(value: unknown): unknown;
  scrubStream(parts: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

export interface CallLimits {
  readonly deadlineMs: number;
  readonly outputBytes: number;
  readonly approvalMs: number;
  /** Of one principal, at once. */
  readonly mostRunning: number;
  readonly mostWaiting: number;
}

export const defaultCallLimits: CallLimits = {
  deadlineMs: 120_000,
  outputBytes: 1024 * 1024,
  approvalMs: 24 * 3_600_000,
  mostRunning: 64,
  mostWaiting: 100,
};
