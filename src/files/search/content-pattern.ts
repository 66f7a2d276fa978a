/**
 * What is looked for in texts: words by their beginning, so that `invoice` finds `invoices`
 * and `Invoiced`. The same pattern in two languages of regular expressions, because where
 * there is no ripgrep the scan is our own.
 */
import type { QuestionWord } from './question.ts';
import { folded, stemOf } from './words.ts';

/** Words have only letters, digits and marks: nothing in them has a meaning in a pattern. */
export function ripgrepPattern(word: QuestionWord): string {
  const end = isShort(word) ? '(?:e?s)?(?:\\b|_)' : '';
  return `${isSingle(word) ? '' : '(?:\\b|_)'}(?:${forms(word)})${end}`;
}

export function scriptPattern(word: QuestionWord): string {
  const end = isShort(word) ? '(?:e?s)?(?![\\p{L}\\p{N}\\p{M}])' : '';
  return `${isSingle(word) ? '' : '(?<![\\p{L}\\p{N}\\p{M}])'}(?:${forms(word)})${end}`;
}

/** Which word of the question a stretch of text is; there may be several. */
export function isFoundAs(word: QuestionWord, found: string): boolean {
  const text = folded(found.normalize('NFC').replace(/^_/, ''));
  return text.startsWith(word.stem) || text.startsWith(word.stem.replace(/y$/, 'i'));
}

// As it was typed, accents and all, and without them.
function forms({ typed, stem }: QuestionWord): string {
  const written = stemOf(typed.toLowerCase());
  return [...new Set([stem, written, written.normalize('NFD')])].map(withPlural).join('|');
}

function withPlural(stem: string): string {
  return /[^y]y$/.test(stem) && stem.length > 3 ? `${stem.slice(0, -1)}(?:y|ies)` : stem;
}

/** `tax` is not `taxi`. */
function isShort({ stem }: QuestionWord): boolean {
  return stem.length <= 3 && !isSingleLetter(stem);
}

function isSingle({ stem }: QuestionWord): boolean {
  return isSingleLetter(stem);
}

function isSingleLetter(text: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text);
}
