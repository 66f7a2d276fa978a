/** What is asked for in words: those that say something, each in the forms in which it is found. */
import { AosError } from '../../kernel/errors.ts';
import { foldedWord, stemOf, writtenWords } from './words.ts';

export interface QuestionWord {
  /** As it was typed. */
  readonly typed: string;
  readonly folded: string;
  readonly stem: string;
}

export interface Question {
  readonly words: readonly QuestionWord[];
}

/** More say no more, and each costs a look at every name. */
const mostWords = 32;
const longestQuery = 1000;

const stopWords = new Set(
  [
    'a an and any are as at be been but by can could did do does every find for from get give got',
    'had has have her his how i in into is it its just like look me mine my of off on one or our',
    'please search she he show so some that the their them then there these they this those to us',
    'was we were what when where which who whose will with would you your file files folder',
  ].flatMap((line) => line.split(' ')),
);

/** Refuses what has no word in it. Marks of a query language are no words. */
export function readQuestion(query: string): Question {
  checkQuery(query);
  const all = writtenWords(query)
    .map(questionWord)
    .filter(({ stem }) => stem !== '');
  const telling = all.filter((word) => !stopWords.has(word.folded));
  // "the who" asks for something too.
  const words = distinct(telling.length === 0 ? all : telling);
  if (words.length === 0) throw unasked();
  return { words: words.slice(0, mostWords) };
}

/** Of every query, also one that is taken as it stands. */
export function checkQuery(query: string): void {
  if (query.trim() === '') throw unasked();
  if (query.length > longestQuery) {
    throw new AosError('files.invalid-input', {
      message: `A query has at most ${longestQuery} characters, and this one has ${query.length}`,
      fix: 'Ask with fewer words',
    });
  }
  if (/[\0\r\n]/.test(query) || !query.isWellFormed()) {
    throw new AosError('files.invalid-input', {
      message: 'A query is one line of text, and this one has characters that no line has',
      fix: 'Leave out line ends and broken characters',
    });
  }
}

function unasked(): AosError {
  return new AosError('files.invalid-input', {
    message: 'The query has no word to look for',
    fix: 'Say what the file is called, or what is in it',
  });
}

function questionWord(typed: string): QuestionWord {
  const word = foldedWord(typed);
  return { typed, folded: word, stem: stemOf(word) };
}

function distinct(words: readonly QuestionWord[]): QuestionWord[] {
  const byStem = new Map<string, QuestionWord>();
  for (const word of words) if (!byStem.has(word.stem)) byStem.set(word.stem, word);
  return [...byStem.values()];
}
