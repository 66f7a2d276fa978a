/** The answer of the file agent, in the fields that its interface names. */
import { AosError } from '../kernel/errors.ts';
import type { FileAnswer } from '../kernel/files/request.ts';
import { toFilesError, wireCode } from './refusals.ts';

export interface FileAnswerParts {
  readonly status: FileAnswer['status'];
  readonly words: string;
  readonly result: unknown;
  readonly prompt?: string | undefined;
  readonly token?: string | undefined;
  readonly error?: FileAnswer['error'];
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
}

export function answered(parts: FileAnswerParts, durationMs: number): FileAnswer {
  const { status, words, result, prompt, token, error, files = 0, bytes = 0 } = parts;
  return {
    ...{ status, action_performed: words, result },
    ...(prompt === undefined ? {} : { confirmation_prompt: prompt }),
    ...(token === undefined ? {} : { confirmation_token: token }),
    ...(error === undefined ? {} : { error }),
    metadata: {
      files_affected: files,
      bytes_affected: bytes,
      duration_ms: Math.round(durationMs),
    },
  };
}

/** Undefined for what is no refusal of ours: an abort, or a bug. */
export function refusal(failure: unknown): FileAnswerParts | undefined {
  const error = toFilesError(failure);
  if (!(error instanceof AosError) || !error.code.startsWith('files.')) return undefined;
  const { code, message, fix } = error;
  const report = { code: wireCode(code), message, ...(fix === undefined ? {} : { fix }) };
  return { status: 'error', words: 'Nothing was done', result: null, error: report };
}
