/**
 * Which memories say nearly the same: those with the same words in the same order. Capitals, white
 * space, the marks that end a sentence or a part of one, and a few small words make no difference;
 * everything else does. One name, number, sign or "not" more is another fact, however long the
 * rest is.
 */

/** Whatever stands without one of these says the same with it. */
const fillers = new Set(['a', 'also', 'an', 'please', 'really', 'the', 'very']);
const endMarks = new Set('.,;:!…。．、，；：！');

/** The same for texts that say nearly the same, and for no others. */
export function sayingOf(text: string): string {
  const words = text.normalize('NFC').replaceAll('’', "'").trim().split(/\s+/u);
  return words
    .map(withoutEndMarks)
    .filter((word, place) => word !== '' && !isFiller(word, place))
    .join(' ')
    .toLowerCase();
}

/** By hand: a pattern would take very long for a word of very many marks. */
function withoutEndMarks(word: string): string {
  let end = word.length;
  while (end > 0 && endMarks.has(word[end - 1] ?? '')) end--;
  return word.slice(0, end);
}

/** A letter that names something is none: hepatitis A. */
function isFiller(word: string, place: number): boolean {
  if (word === 'A' && place > 0) return false;
  return fillers.has(word.toLowerCase());
}
