/** It takes some 128 tokens well, and what a longer text is about it mostly says first. */
const mostCharacters = 1000;

/** A text as USE-lite takes it. */
export function useLiteText(text: string): string {
  // Twice: what a character stands for may be eighteen of them.
  const cut = text.slice(0, mostCharacters).normalize('NFKC').slice(0, mostCharacters);
  // Line ends are words to it that it does not know.
  const line = cut.toWellFormed().replace(/\s+/g, ' ').trim();
  // A text with nothing in it would have no vector.
  return line === '' ? '-' : line;
}
