/** What keeps outboxes from being worked off: said when it begins and when it is over. */
import { type ErrorCode, toReport } from '../../kernel/errors.ts';
import type { RelayLog } from '../deps.ts';
import type { Outbox } from './outbox.ts';

const firstRetryMs = 1000;
const longestRetryMs = 30_000;

/** Makes an event of it; where that cannot be written, the log has it. */
export type NoteTrouble = (
  kind: 'outbox.stalled' | 'outbox.recovered',
  data: { readonly code: ErrorCode },
) => void;

export class Troubles {
  readonly #log: RelayLog;
  readonly #note: NoteTrouble;
  /** How many outboxes have each: a full disk is one line, not one an agent. */
  readonly #counts = new Map<ErrorCode, number>();

  constructor(log: RelayLog, note: NoteTrouble) {
    this.#log = log;
    this.#note = note;
  }

  /** The outbox is tried again after a while, which grows. */
  begin(outbox: Outbox, failure: unknown, nowMs: number): void {
    const report = toReport(failure);
    outbox.notBeforeMs = nowMs + Math.min(firstRetryMs * 2 ** outbox.failures, longestRetryMs);
    outbox.failures++;
    if (outbox.trouble === report.code) return;
    this.#count(outbox.trouble, -1);
    outbox.trouble = report.code;
    if (this.#count(report.code, 1) > 1) return;
    const facts = { agent: outbox.agent, error: report };
    this.#log.error(facts, 'messages stay in the outbox for now; it is tried again');
    this.#note('outbox.stalled', { code: report.code });
  }

  end(outbox: Outbox): void {
    outbox.failures = 0;
    if (outbox.trouble === undefined) return;
    const code = outbox.trouble;
    outbox.trouble = undefined;
    if (this.#count(code, -1) > 0) return;
    this.#log.info({ code }, 'messages are taken from the outboxes again');
    this.#note('outbox.recovered', { code });
  }

  #count(code: ErrorCode | undefined, by: 1 | -1): number {
    if (code === undefined) return 0;
    const count = (this.#counts.get(code) ?? 0) + by;
    if (count > 0) this.#counts.set(code, count);
    else this.#counts.delete(code);
    return count;
  }
}
