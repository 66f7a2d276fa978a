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
  return JSON.stringify(text).replace(unsafe, spellOut);
}

/** The same for a whole text that is about to be printed: its line ends and tabs stay. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : spellOut(character),
  );
}

function spellOut(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
