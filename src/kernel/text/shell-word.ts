/** Words for a shell, whatever is in them. */
import { oneLine } from './quote.ts';

/** For a script: nothing in it means anything to a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For somebody who reads it, and may type it again: quoted only where it has to be. */
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
