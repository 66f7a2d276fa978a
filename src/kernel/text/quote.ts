import type { OutputPart, OutputStream } from '../sandbox.ts';

/**
 * Names and values that came from elsewhere, made safe to stand in a sentence: a
 * newline, an escape sequence or a change of writing direction in a file's name
 * must not be able to forge what a person reads.
 */

// Controls, formats (among them the bidirectional marks), lone surrogates, and the
// separators of lines and paragraphs.
const unsafe = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** `a "b"` becomes `"a \"b\""`, and what would move the cursor is spelt out. */
export function quote(text: string): string {
  return safeJson(text);
}

/** One line of JSON that a terminal may show: it parses back to the same value. */
export function safeJson(value: unknown): string {
  return oneLine(JSON.stringify(value));
}

/** A text that is one line: whatever would end it or move the cursor is spelt out. */
export function oneLine(text: string): string {
  return text.replace(unsafe, spellOut);
}

/** Like oneLine(), for a text of many lines: its line ends and tabs stay. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : spellOut(character),
  );
}

// As JSON spells it, a code unit at a time.
function spellOut(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** For a script: nothing in it means anything to a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For a person who reads it, and may type it again: quoted only where it has to be. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (/^[\w @%+=:,./~-]+$/.test(text)) return `"${text}"`;
  if (oneLine(text) === text) return shellQuoted(text);
  // What a terminal must not be shown is spelt out, so that a shell reads it back.
  return `$'${text.replace(/[\\']/g, '\\$&').replace(/./gsu, spelt)}'`;
}

/** By its bytes, which every shell that knows `$'…'` understands. */
function spelt(character: string): string {
  if (oneLine(character) === character) return character;
  return [...Buffer.from(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}

/** JSON whose keys are in one order, so that the same value is the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

// What a program shows, made fit for JSON while it comes: text, and base64 for what is none.

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
