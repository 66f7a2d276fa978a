import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

/** What every refusal of a message's text is made of: what is wrong, and how to write it. */
export function malformed(message: string, fix: string, cause?: unknown): AosError {
  return new AosError('message.malformed', { message, fix, cause });
}

/** A value from a message, safe in a sentence and never long. */
export function shown(text: string): string {
  return quote(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
