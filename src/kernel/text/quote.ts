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

/** The same for a text of many lines: its line ends and tabs stay. */
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
