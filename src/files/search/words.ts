/**
 * Words of names, of texts and of questions, folded so that what a person takes for the same
 * is the same: `Rechnungen_Müller`, `rechnungen muller` and `RechnungenMuller` have equal words.
 */

/** Without spaces between them, so that each stands for itself. */
const single = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const oneWord = new RegExp(`[${single}]|[[\\p{L}\\p{N}\\p{M}]--[${single}]]+`, 'gv');

// `InvoiceAhmed`, `invoice2026`, and not `mp3` or `Q3`.
const seams =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L}{3})(?=\d{2})|(?<=\d{2})(?=\p{L}{3})/gu;
// Whether a name of plain letters has one of them at all: most have none.
const plainSeam = /[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]{3}\d{2}|\d{2}[A-Za-z]{3}/;
const possessive = /['’]s\b/giu;
const marks = /[\u0300-\u036f]/g;
const plainAscii = /^[\0-\x7f]*$/;
const plainWord = /[a-z0-9]+/gi;

/** Letters that no normal form takes apart. */
const alike: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Small letters, without accents. */
export function folded(text: string): string {
  if (plainAscii.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(marks, '').normalize('NFC').toLowerCase();
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => alike[letter] ?? letter);
}

/** In their order, folded. */
export function wordsOf(text: string): string[] {
  return writtenWords(text)
    .map(foldedWord)
    .filter((word) => word !== '');
}

/** Only letters, digits and marks: `⑸` is `5`, and not `(5)`. Nothing of an accent alone. */
export function foldedWord(word: string): string {
  return plainAscii.test(word)
    ? word.toLowerCase()
    : folded(word).replace(/[^\p{L}\p{N}\p{M}]/gu, '');
}

/** As they are written. */
export function writtenWords(text: string): string[] {
  // The same for plain letters, and several times quicker.
  if (plainAscii.test(text)) return plainWordsOf(text);
  const apart = text.normalize('NFC').replace(possessive, '').replace(seams, ' ');
  return apart.match(oneWord) ?? [];
}

function plainWordsOf(text: string): string[] {
  const owned = text.includes("'") ? text.replace(possessive, '') : text;
  const apart = plainSeam.test(owned) ? owned.replace(seams, ' ') : owned;
  return apart.match(plainWord) ?? [];
}

/** The singular of a folded word, or what does for it; a word that is none stays as it is. */
export function stemOf(word: string): string {
  if (word.length <= 3 || !word.endsWith('s')) return word;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:sse|xe|che|she|zze)s$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}
