/** The words of a text, as the index of words has them: letters, digits and their marks. */

/** Written without spaces between words, so that each character stands for itself. */
const single = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const letters = '\\p{L}\\p{N}\\p{M}\\p{Co}';
const oneWord = new RegExp(`[${single}]|[[${letters}]--[${single}]]+`, 'gv');
const anySingle = new RegExp(`[${single}]`, 'gv');
// Those that the index takes away too, and not the vowels of other scripts.
const accents = /[\u0300-\u036f]/g;
const plainAscii = /^[\0-\x7f]*$/;
const plainWord = /[a-z0-9]+/gi;

/** In their order, as they are written. */
export function wordsOf(text: string): string[] {
  // The same for plain letters, and several times quicker.
  return text.match(plainAscii.test(text) ? plainWord : oneWord) ?? [];
}

/** Small letters without accents: what a person takes for the same is the same. */
export function folded(word: string): string {
  if (plainAscii.test(word)) return word.toLowerCase();
  return word.normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase();
}

/** For the index of words, which would take a sentence without spaces for one word. */
export function spaced(text: string): string {
  return plainAscii.test(text) ? text : text.normalize('NFKC').replace(anySingle, ' $& ');
}
