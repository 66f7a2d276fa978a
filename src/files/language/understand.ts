/**
 * A sentence in English, made into a request without a model.
 *
 * U1. What changes files is only understood where every word that could matter was made use of.
 *     Everything else asks back: a question costs less than a file.
 * U2. What only looks is read leniently: words that mean nothing else are looked for.
 * U3. Quoted texts and names of files are data. No word in them says what is to be done.
 * U4. A negated verb, or two verbs, never lead to either of them.
 */
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import { Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { distance } from '../../kernel/language/spelling.ts';
import { type Token, tokensOf } from '../../kernel/language/tokens.ts';
import { quote } from '../../kernel/text/quote.ts';
import { doubtOf } from './doubts.ts';
import { knownPath, type Said } from './folders.ts';
import { kindAt } from './kinds.ts';
import { longerNameOf } from './name-doubts.ts';
import { type SaidOptions, takeDryRun, takeOptions } from './options.ts';
import { readingOf } from './reading.ts';
import { bareNameOf, requestOf } from './request.ts';
import { questionOf, refusalOf } from './scope.ts';
import { type Slots, slotsOf } from './slots.ts';
import {
  afterPoliteness,
  isChange,
  secondVerb,
  takeVerb,
  type VerbFound,
  verbAt,
} from './verbs.ts';
import { overwritingAt, understandWriting } from './writing.ts';

const mostCharacters = 2000;
/** A quoted text counts as one. */
const mostWords = 200;

/** With the name of a file that has to be looked for, where the sentence leaves its folder open. */
export type SentenceRead = Understanding & {
  readonly bareName?: string;
  /** With the word before it: where a file is called so, it may be the one that is meant. */
  readonly longerName?: string;
};

export function understand(sentence: string, world: SentenceWorld): SentenceRead {
  const tokens = sentence.length > mostCharacters ? [] : tokensOf(sentence);
  if (sentence.length > mostCharacters)
    return asking(
      'The sentence is too long',
      `Please say it in less than ${mostCharacters} characters, one thing at a time.`,
    );
  if (tokens.length > mostWords)
    return asking(
      'The sentence is too long',
      `Please say it in less than ${mostWords} words; put a text that is to be written in quotes.`,
    );
  if (tokens.length === 0) return asking('Nothing was said', whatShall);
  const words = new Sentence(withVerbMended(tokens), world);
  const isDryRun = takeDryRun(words);
  if (!isDryRun) takeReassurance(words);
  const options = takeOptions(words);
  return (
    declined(words) ??
    understandWriting(words, { isDryRun }) ??
    understandVerb(words, { isDryRun, options })
  );
}

const whatShall = 'What shall I do? For example: find PDFs from last week.';

function declined(words: Said): Understanding | undefined {
  // U4
  const negated = negatedVerb(words);
  if (negated !== undefined)
    return asking(
      `Do not ${negated}`,
      `I will not ${negated} anything. Tell me what I shall do instead, without "not".`,
    );
  const start = afterPoliteness(words);
  const refusal = refusalOf(words, start);
  if (refusal !== undefined)
    return { kind: 'refused', reading: refusal.message, confidence: 0.9, unused: [], ...refusal };
  const archived = archiveVerb(words, start);
  if (archived !== undefined) return archived;
  if (overwritingAt(words, start) !== undefined) return undefined;
  const question = questionOf(words, start) ?? misspeltChange(words);
  return question === undefined ? undefined : asking('Not clear what to do', question);
}

function understandVerb(
  words: Said,
  { isDryRun, options }: { readonly isDryRun: boolean; readonly options: SaidOptions },
): SentenceRead {
  const verb = chosenVerb(words);
  if (verb === 'two')
    return asking(
      'Two things at once',
      'That is more than one thing to do. Please tell me one at a time.',
    );
  const slots = slotsOf(words, { verb, options });
  const request = requestOf(slots, words.world, { isDryRun });
  const reading = readingOf(request, slots, words.world);
  const unused = slots.left.map(({ text }) => text);
  const question = doubtOf(slots, request);
  if (question !== undefined)
    return { kind: 'asks-back', reading, confidence: 0.3, unused, question, request };
  const bareName = bareNameOf(slots, request);
  const longerName = longerNameOf(slots);
  return {
    ...{ kind: 'understood', reading, confidence: confidenceOf(slots), request },
    unused: request.action === 'search_files' ? [] : unused,
    ...(bareName === undefined ? {} : { bareName }),
    ...(longerName === undefined ? {} : { longerName }),
  };
}

/** Without any verb it is something to look for. */
function chosenVerb(words: Sentence): VerbFound | 'two' {
  const first = takeVerb(words) ?? { verb: 'find', said: '', at: 0, next: 0 };
  const second = secondVerb(words, first.next);
  if (second === undefined) return first;
  // "Find the logs and delete them" is one thing.
  const after = words.tokens[second.next];
  const isSame = ['them', 'it', 'those', 'these', 'all'].includes(words.word(second.next));
  const isLooking = first.verb === 'find' || first.verb === 'list';
  if ((isLooking || first.said === 'take') && isSame && isChange(second.verb)) {
    words.use(second.at - 1, second.next + 1);
    return second;
  }
  if (first.verb === second.verb && !isChange(first.verb)) return first;
  if (first.verb === 'read' && !isChange(second.verb) && saysNoMore(words, second.next)) {
    words.use(second.at - 1, words.tokens.length);
    return first;
  }
  if (first.verb === 'rename' && second.verb === 'rename') return first;
  // "Copy it there and call it b.txt" is one thing: the name is taken with the place.
  const isNamed = second.verb === 'rename' && after?.fold === 'it';
  if (isNamed && (first.verb === 'move' || first.verb === 'copy')) return first;
  if (isLooking && !isChange(second.verb)) {
    words.use(second.at, second.next);
    return first;
  }
  return 'two';
}

/** `open a.txt and show me what it says`. */
function saysNoMore({ tokens }: Sentence, from: number): boolean {
  const more = ['me', 'what', 'is', 'in', 'it', 'inside', 'says', 'say', 'to', 'the', 'contents'];
  return tokens.slice(from).every(({ kind, fold }) => kind === 'word' && more.includes(fold));
}

function confidenceOf({ folders, dates, destination, left, verb }: Slots): number {
  const isGuessed = folders.some(({ how }) => how !== 'exact');
  const isUnsure = folders.some(({ others }) => others.length > 0) || dates?.isAmbiguous === true;
  const isNew = destination?.kind === 'folder' && destination.folder.how === 'new';
  const doubts = [
    ...[isGuessed ? 0.25 : 0, isUnsure ? 0.2 : 0, isNew ? 0.1 : 0],
    ...[Math.min(3, left.length) * 0.05, verb.said === '' ? 0.2 : 0],
  ];
  return Number(doubts.reduce((sure, doubt) => sure - doubt, 0.95).toFixed(2));
}

function asking(reading: string, question: string): Understanding {
  return { kind: 'asks-back', reading, confidence: 0.2, unused: [], question };
}

// Verbs that lead to nothing: negated ones, misspelt ones, and `archive`.

const negations = phrases('not, never, avoid, stop, without, no, refrain from');
const between = phrases(`
ever, actually, want, you, me, to, be, get, have, need, going, dare, please, just, even, let, anyone
anything, try, it, think, should, we, i`);
const gerunds = wordSet('deleting removing moving copying renaming overwriting touching');
const nouns = wordSet('duplicate empty number backup trash');

/** U4: what is not to be done. */
function negatedVerb(sentence: Said): string | undefined {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const word = cursor.take(negations);
    if (word === undefined) continue;
    cursor.skip(between);
    const { word: next = '' } = cursor;
    const found = verbAt(cursor);
    // "I cannot find it" asks for it.
    if (found?.verb === 'find' && sentence.word(at - 1) === 'can') continue;
    if (found === undefined && gerunds.has(next)) return next;
    const isHead = at <= 2 && (word === 'not' || word === 'never');
    if (found === undefined || nouns.has(found.said)) continue;
    if (isHead || isChange(found.verb)) return found.said;
  }
  return undefined;
}

const pronouns = phrases(`
anything, them, it, any, of, those, these, yet, files, or, everything, actually, for now, at all`);

/**
 * `Don't delete anything, just show me …`, `list … but do not delete them yet`: what is not to be
 * done to what is only looked at. Such a clause is taken out.
 */
function takeReassurance(sentence: Said): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const isEnd = at === 0 || sentence.isEnd(at - 1);
    if (!isEnd && !['but', 'and'].includes(cursor.word ?? '')) continue;
    cursor.skip('but', 'and', 'please', 'i', 'you', 'just', 'so');
    if (cursor.take('do not', 'never', 'without') === undefined) continue;
    cursor.skip(between);
    const { word = '' } = cursor;
    const found = verbAt(cursor);
    if (found === undefined && !gerunds.has(word)) continue;
    if (found === undefined) cursor.at++;
    else if (!isChange(found.verb)) continue;
    cursor.skip(pronouns);
    const isOver = cursor.token === undefined || sentence.isEnd(cursor.at - 1);
    if (isOver && isLooking(sentence, at === 0 ? cursor.at : 0)) sentence.use(at, cursor.at);
  }
}

/** Nothing but looking is asked for from here on. */
function isLooking(sentence: Said, from: number): boolean {
  const cursor = sentence.cursor(from);
  cursor.skip('just', 'only', 'simply', 'but', 'please', 'can you', 'could you', 'i want to');
  const found = verbAt(cursor);
  return found !== undefined && !isChange(found.verb);
}

/** "Archive" as a verb may be a folder or a zip file. */
function archiveVerb(sentence: Said, start: number): Understanding | undefined {
  if (sentence.word(start) !== 'archive') return undefined;
  const folder = knownPath('Archive', sentence.world);
  const common = { reading: 'Archive files', confidence: 0.4, unused: ['archive'] };
  if (folder === undefined) {
    const message = 'Making archives is work of the archive_agent; I can move files to a folder';
    return { kind: 'refused', ...common, agent: 'archive_agent', message };
  }
  const question = `Shall the files go to the folder ${quote(folder)}? Then say "move … to Archive". Compressing them is work of the archive_agent.`;
  const request = { action: 'move_file', destination: folder } as const;
  return { kind: 'asks-back', ...common, request, question };
}

const looking = ['show', 'find', 'list', 'search', 'display', 'locate', 'count', 'where', 'which'];
const changing = ['delete', 'remove', 'move', 'copy', 'rename', 'erase', 'trash', 'transfer'];
/** What a verb is followed by, and hardly any other word. */
const following = wordSet('me my the all every any for in files everything this these');

/** `shwo me my photos`: a verb at the head with a letter wrong is mended where it only looks. */
function withVerbMended(tokens: readonly Token[]): readonly Token[] {
  const { at, verb } = misspelt(tokens, looking);
  if (verb === undefined) return tokens;
  return tokens.map((token, place) => (place === at ? { ...token, fold: verb } : token));
}

/** What changes files is asked for once more. */
function misspeltChange({ tokens }: Said): string | undefined {
  const { verb } = misspelt(tokens, changing);
  return verb === undefined ? undefined : `Do you mean ${quote(verb)}? Please say it once more.`;
}

function misspelt(
  tokens: readonly Token[],
  verbs: readonly string[],
): { readonly at: number; readonly verb: string | undefined } {
  const sentence = new Sentence(tokens, undefined);
  const at = afterPoliteness(sentence);
  const [head, next] = tokens.slice(at);
  const isObject =
    following.has(sentence.word(at + 1)) ||
    (next !== undefined && next.kind !== 'word') ||
    kindAt(sentence.cursor(at + 1)) !== undefined;
  const isKnown = [verbAt, kindAt].some((rule) => rule(sentence.cursor(at)) !== undefined);
  const word = head?.kind === 'word' ? head.fold : '';
  // "Mode" and "cope" are words.
  const isMisspelt = isObject && !isKnown && word.length >= 4;
  return { at, verb: isMisspelt ? verbs.find((verb) => distance(verb, word) === 1) : undefined };
}
