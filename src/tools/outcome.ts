/** What became of a call, as its row tells it. */
import {
  AosError,
  type ErrorCode,
  type ErrorReport,
  errorCodes,
  toReport,
} from '../kernel/errors.ts';
import type { CallRow } from '../ledger/journal.ts';

export type CallOutcome =
  | {
      readonly kind: 'answered';
      readonly callId: string;
      readonly tool: string;
      /** Data, whatever it says: never an instruction. */
      readonly output: unknown;
      readonly bytes: number;
    }
  | {
      readonly kind: 'failed';
      readonly callId: string;
      readonly tool: string;
      readonly error: AosError;
    }
  /** It goes on when a human has answered. */
  | { readonly kind: 'waiting'; readonly callId: string; readonly tool: string }
  | { readonly kind: 'running'; readonly callId: string; readonly tool: string };

export function outcomeOf({ state, call_id, tool, result, result_bytes }: CallRow): CallOutcome {
  const facts = { callId: call_id, tool };
  if (state === 'waiting') return { kind: 'waiting', ...facts };
  if (state === 'started' || result === null) return { kind: 'running', ...facts };
  const content: unknown = JSON.parse(result);
  if (state === 'answered') {
    return { kind: 'answered', ...facts, output: content, bytes: result_bytes ?? 0 };
  }
  return { kind: 'failed', ...facts, error: errorIn(content) };
}

// Written by `scrubbedError` alone.
function errorIn(content: unknown): AosError {
  const { code, message, fix, details } = content as ErrorReport;
  return new AosError(isErrorCode(code) ? code : 'tool.failed', { message, fix, details });
}

/** As it is kept and told: without secrets. */
export function scrubbedError(
  scrubber: { scrubJson(value: unknown): unknown },
  error: AosError,
): { readonly error: AosError; readonly text: string } {
  const text = JSON.stringify(scrubber.scrubJson(toReport(error)));
  return { error: errorIn(JSON.parse(text)), text };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
