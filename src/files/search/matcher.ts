/** What fits a query, in each of the three ways in which one is meant. */
import { AosError } from '../../kernel/errors.ts';
import type { SearchRequest } from '../../kernel/files/look.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { isFoundAs, ripgrepPattern, scriptPattern } from './content-pattern.ts';
import { checkQuery, type Question, readQuestion } from './question.ts';
import { rank } from './rank.ts';
import { type NameFit, rankAsItStands } from './rank-as-it-stands.ts';
import type { Candidate, Ranked, RankOptions } from './score.ts';
import { bestFit, nameSieve } from './word-match.ts';
import { wordsOf } from './words.ts';

export interface Matcher {
  /** What an index of words can be asked for; nothing where the query is not of words. */
  readonly question?: Question | undefined;
  fitsName(name: string): boolean;
  /** For ripgrep. `any-case`: patterns, in small and capital letters. */
  readonly ripgrep: {
    readonly patterns: readonly string[];
    readonly as: 'letters' | 'pattern' | 'any-case';
  };
  /** For our own scan: every stretch of a text that fits. */
  script(): RegExp;
  /** How many times each word is among stretches that were found. */
  countsOf(found: readonly string[]): number[];
  rank<C extends Candidate>(candidates: readonly C[], options: RankOptions): Ranked<C>[];
}

export function matcherOf({ query, how }: Pick<SearchRequest, 'query' | 'how'>): Matcher {
  if (how === 'words') return wordMatcher(readQuestion(query));
  checkQuery(query);
  return how === 'exact' ? exactMatcher(query) : regexMatcher(query);
}

function wordMatcher(question: Question): Matcher {
  const { words } = question;
  const sieve = nameSieve(question);
  return {
    question,
    fitsName: (name) => sieve.test(name) && fitsWords(question, name),
    ripgrep: { patterns: words.map(ripgrepPattern), as: 'any-case' },
    script: () => new RegExp(words.map(scriptPattern).join('|'), 'giu'),
    countsOf: (found) =>
      words.map((word) => found.filter((stretch) => isFoundAs(word, stretch)).length),
    rank: (candidates, options) => rank(question, candidates, options),
  };
}

function fitsWords({ words }: Question, name: string): boolean {
  const names = wordsOf(name);
  return words.some((word) => bestFit(word, names) !== undefined);
}

function exactMatcher(query: string): Matcher {
  const forms = [...new Set([query, query.normalize('NFC'), query.normalize('NFD')])];
  const wanted = query.normalize('NFC');
  return {
    fitsName: (name) => name.normalize('NFC').includes(wanted),
    ripgrep: { patterns: forms, as: 'letters' },
    script: () => new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'gu'),
    countsOf: (found) => [found.length],
    rank: (candidates, options) =>
      rankAsItStands(
        { shown: quote(query), nameFit: (name) => partOf(name, wanted) },
        candidates,
        options,
      ),
  };
}

/** How much of the name it is. */
function partOf(name: string, wanted: string): NameFit {
  const text = name.normalize('NFC');
  if (text === wanted || text.replace(/\.[^.]*$/, '') === wanted) return 'whole';
  return text.includes(wanted) ? 'part' : 'none';
}

function regexMatcher(query: string): Matcher {
  // Not before it is needed: ripgrep understands some that are none here.
  let name: RegExp | undefined;
  const nameFit = (text: string): NameFit => {
    name ??= scriptOf(query, 'u');
    return name.test(text.normalize('NFC')) ? 'part' : 'none';
  };
  return {
    fitsName: (text) => nameFit(text) === 'part',
    ripgrep: { patterns: [query], as: 'pattern' },
    script: () => scriptOf(query, 'gu'),
    countsOf: (found) => [found.length],
    rank: (candidates, options) =>
      rankAsItStands({ shown: quote(query), nameFit }, candidates, options),
  };
}

function scriptOf(query: string, flags: string): RegExp {
  // As it is written for ripgrep.
  const isAnyCase = query.startsWith('(?i)');
  try {
    return isAnyCase ? new RegExp(query.slice(4), `${flags}i`) : new RegExp(query, flags);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    throw new AosError('files.invalid-input', {
      message: `The regular expression is not understood: ${oneLine(why.slice(0, 200))}`,
      fix: 'Write it otherwise, or search for the text as it stands',
    });
  }
}
