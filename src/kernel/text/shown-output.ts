/** What a program shows, made fit for JSON while it comes: text, and base64 for what is none. */
import type { OutputPart, OutputStream } from '../sandbox.ts';

export type ShownPart =
  | { readonly stream: OutputStream; readonly text: string }
  /** Its bytes are no UTF-8. */
  | { readonly stream: OutputStream; readonly base64: string };

/** Of one run. A character that is cut between two parts comes whole, with the second. */
export class ShownOutput {
  readonly #held = new Map<OutputStream, Uint8Array>();

  /** Undefined where there is no more of it yet than the beginning of a character. */
  take({ stream, bytes }: OutputPart): ShownPart | undefined {
    const all = Buffer.concat([this.#held.get(stream) ?? new Uint8Array(), bytes]);
    const text = beginningOf(all);
    if (text === undefined) {
      this.#held.delete(stream);
      return { stream, base64: all.toString('base64') };
    }
    this.#held.set(stream, all.subarray(Buffer.byteLength(text)));
    return text === '' ? undefined : { stream, text };
  }

  /** What was held back, when nothing more comes: characters that never became whole. */
  rest(): readonly ShownPart[] {
    const halves = [...this.#held].filter(([, bytes]) => bytes.length > 0);
    this.#held.clear();
    return halves.map(([stream, bytes]) => ({
      stream,
      base64: Buffer.from(bytes).toString('base64'),
    }));
  }
}

/** The text without a half character at its end; undefined where it is not UTF-8. */
function beginningOf(bytes: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: true });
  } catch {
    // That is how it says so.
    return undefined;
  }
}

/** As they were shown. */
export function bytesOfShown(part: ShownPart): Uint8Array {
  return 'text' in part ? Buffer.from(part.text) : Buffer.from(part.base64, 'base64');
}

/** For who only reads: what is no text is seen to be none. */
export function textOfShown(part: ShownPart): string {
  return 'text' in part ? part.text : Buffer.from(part.base64, 'base64').toString();
}
