import { AosError } from '../../kernel/errors.ts';
import { bytesWords } from './words.ts';

export interface TextLimits {
  /** For the sentence: `What was piped in`. */
  readonly what: string;
  readonly mostBytes: number;
}

/** A text in UTF-8 that comes in parts, from a file or through a pipe. It is never quoted. */
export async function textOf(
  parts: AsyncIterable<Uint8Array>,
  { what, mostBytes }: TextLimits,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let sizeBytes = 0;
  try {
    for await (const bytes of parts) {
      sizeBytes += bytes.length;
      if (sizeBytes > mostBytes) throw tooLong(what, mostBytes);
      text += decoder.decode(bytes, { stream: true });
    }
    return text + decoder.decode();
  } catch (failure) {
    if (failure instanceof TypeError) throw notText(what);
    throw failure;
  }
}

function tooLong(what: string, mostBytes: number): AosError {
  return new AosError('usage.bad-value', {
    message: `${what} is larger than ${bytesWords(mostBytes)}`,
    fix: 'Give less',
  });
}

function notText(what: string): AosError {
  return new AosError('usage.bad-value', {
    message: `${what} is no text in UTF-8`,
    fix: 'Encode it, for example with base64',
  });
}
