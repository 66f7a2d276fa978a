/** What became of a call, as its row tells it. */
import {
  AosError,
  type ErrorCode,
  type ErrorReport,
  errorCodes,
  toReport,
} from '../kernel/errors.ts';
import type { CallRow } from '../ledger/security/journal.ts';

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
  if (isErased(content)) return { kind: 'failed', ...facts, error: erasedResult(call_id) };
  if (state === 'answered') {
    return { kind: 'answered', ...facts, output: content, bytes: result_bytes ?? 0 };
  }
  return { kind: 'failed', ...facts, error: errorIn(content) };
}

/** What the journal has instead of a result that was erased. */
function isErased(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return false;
  return Object.keys(content).join() === 'erased';
}

function erasedResult(id: string): AosError {
  return new AosError('operation.erased', {
    message: `What call ${id} came to was erased`,
    fix: 'Make it again, under another key',
  });
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
