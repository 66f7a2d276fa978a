/** Files by name, texts that are looked for, and what is left out. */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { folderAt, isFolderNoun, type Place, phraseAt, type Said, textOf } from './folders.ts';
import { kindAt, patternsOf } from './kinds.ts';

export interface TextWanted {
  readonly text: string;
  readonly isExact: boolean;
  /** A part of the name, and not all of it. */
  readonly isPart?: boolean;
}

const contentCues = phrases(`
[for|with] the (word|words|phrase|term|expression|string|text), containing, [that] contains
[that|which] (contain|mention|mentions|include|say|discuss|discusses), which contains, mentioning
that (says|includes), talking about, including the (word|words), saying, discussing, referring to
[that] (have|has) the (word|words), [that|which] (talk|talks|speak) about, speak of, that deal with
[that|which] refer to`);
const mentions = phrases('any (mention of|reference to), a reference to, references to');
const quotesOf = phrases('the, word, words, phrase, text, string, term, exact');
const insideIt = phrases('in (them|it), inside [them], somewhere');

/** What has to be in the file. */
export function takeContent(sentence: Sentence): TextWanted | undefined {
  return sentence.take(contentAt);
}

function contentAt(cursor: Cursor): TextWanted | undefined {
  const { sentence, at, word } = cursor;
  // "The word documents" are a kind of files, and so is what "does it contain spreadsheets" asks.
  const isKind = (place: number) => kindAt(sentence.cursor(place)) !== undefined;
  if (isKind(at + 1)) return undefined;
  const isText = word === 'text' && sentence.tokens[at + 1]?.kind === 'quoted';
  const cue = isText ? 'text' : cursor.take(contentCues);
  if (cue === undefined || ['include', 'say'].includes(cue)) return undefined;
  const isAsked = ['does', 'do'].includes(sentence.word(0));
  if (isAsked && isKind(cursor.at)) return undefined;
  cursor.skip(mentions);
  // "Does it contain any empty files" asks what is in a folder.
  if (['any', 'some', 'no'].includes(cursor.word ?? '')) return undefined;
  cursor.skip(quotesOf);
  const wanted = cursor.try(quotedBehind) ?? textAt(cursor);
  cursor.skip(insideIt);
  return wanted;
}

/** `my phone number "555-1234"`: what is quoted says it. */
function quotedBehind(cursor: Cursor): TextWanted | undefined {
  cursor.at += phraseAt(cursor).length;
  const { token } = cursor;
  if (token?.kind !== 'quoted') return undefined;
  cursor.at++;
  return { text: token.text, isExact: true };
}

export function textAt(cursor: Cursor): TextWanted | undefined {
  const { token } = cursor;
  if (token === undefined) return undefined;
  const words = token.kind === 'word' ? phraseAt(cursor) : [token];
  cursor.at += words.length;
  return words.length === 0 ? undefined : { text: textOf(words), isExact: token.kind === 'quoted' };
}

const calledCues = phrases(`
whose names are, whose name is, with the (name|filename|title), by the name of
[that is|that are|which is] (called|named), entitled, titled`);
const inNames = phrases(
  'in (the|their|its) (name|names|filename|filenames|file name|file names|title)',
);
const namesHaving = phrases(`
whose (name|names|filename) (contain|contains|include|includes), with [a] (name|names) containing`);
const having = phrases('with, [that|which] (have|has|contain), having, containing');

/** `called report`, `with "draft" in the name`. */
export function takeCalled(sentence: Sentence): TextWanted | undefined {
  return sentence.take(called, inTheName);
}

function called(cursor: Cursor): TextWanted | undefined {
  if (cursor.take(calledCues) === undefined) return undefined;
  cursor.skip('something like', 'the');
  // A pattern is taken for one elsewhere.
  return cursor.token?.kind === 'pattern' ? undefined : textAt(cursor);
}

function inTheName(cursor: Cursor): TextWanted | undefined {
  const isBefore = cursor.take(namesHaving) !== undefined;
  if (!isBefore && cursor.take(having) === undefined) return undefined;
  if (!isBefore) cursor.skip('the', 'word');
  const wanted = textAt(cursor);
  if (!isBefore && cursor.take(inNames) === undefined) return undefined;
  return wanted && { ...wanted, isPart: true };
}

const notHaving = phrases('[that|which] (do|does) not have, [that|which] not having, without');

/** `that do not have "draft" in the name`: only where something is looked at. */
export function takeNotCalled(sentence: Sentence): string[] {
  return sentence.takeAll((cursor) => {
    if (cursor.take(notHaving) === undefined) return undefined;
    cursor.skip('the', 'word');
    const unwanted = textAt(cursor);
    const isName = cursor.take(inNames) !== undefined;
    return unwanted !== undefined && isName ? `*${unwanted.text}*` : undefined;
  });
}

const beginning = phrases('(starting|beginning|start|begin|starts|begins) with');
const ending = phrases('(ending|end|ends) (with|in)');

/** `starting with IMG_`, `ending in _old`, `IMG_*`: a pattern of the name; `*.log` is a kind. */
export function takeNamePattern(sentence: Sentence): string | undefined {
  return sentence.take(edgePattern) ?? sentence.take(patternAlone);
}

function edgePattern(cursor: Cursor): string | undefined {
  cursor.skip('whose', 'names', 'name', 'with', 'that', 'which', 'filename', 'filenames');
  const isStart = cursor.take(beginning) !== undefined;
  if (!isStart && cursor.take(ending) === undefined) return undefined;
  const { token } = cursor;
  if (token === undefined) return undefined;
  cursor.at++;
  return isStart ? `${token.text}*` : `*${token.text}`;
}

function patternAlone(cursor: Cursor): string | undefined {
  const { token } = cursor;
  const isKind = /^\*\.[a-z0-9]{1,10}$/.test(token?.fold ?? '');
  if (token?.kind !== 'pattern' || isKind) return undefined;
  cursor.at++;
  return token.text;
}

/** They stand before a name, or are the first word of it: `my report.pdf`. */
export const articles = wordSet('the my our your a an this that');

const bareNames = phrases('(with|that have) no [file] extension');
const except = phrases(`
except [for], excluding, but (not|no|leave|keep|ignore|skip|exclude), apart from, other than, minus
not including, ignoring, (leaving|leave) out, without, skipping, skip, (that|which) (are|is) not
besides, not, (is|are) not, (everything|anything|all) but, excepting, aside from, save for
[that] [are] neither`);
const beforeExcluded = phrases(`
the, any, my, all, ones, those, files, file, called, named, anything, a, an, everything, folders, that
are, which, stuff`);

/**
 * Names, patterns and folders that are passed over. Where something is changed, rather one too many
 * is: of a name that may be that of a folder or a part of others, all of them.
 */
export function takeExclusions(sentence: Said, how: { readonly isWide: boolean }): string[] {
  return sentence.takeAll((cursor) => exclusion(cursor, how)).flat();
}

function exclusion(cursor: Place, how: { readonly isWide: boolean }): string[] | undefined {
  if (cursor.take(bareNames) !== undefined) return ['*.*'];
  const cue = cursor.take(except);
  if (cue === undefined) return undefined;
  const all: string[] = [];
  // "To Documents, not Work" leaves nothing out.
  let place = { isInside: false, isFrom: false };
  const next = () =>
    cursor.try((ahead) => excluded(ahead, { ...how, ...place, isBare: cue === 'not' }));
  for (let item = next(); item !== undefined; item = next()) {
    all.push(...item.patterns);
    // "In Downloads and Documents".
    place = { isInside: item.isInside, isFrom: item.isFrom };
    const isListed = cursor.sentence.isEnd(cursor.at - 1);
    if (cursor.take('and', 'or', 'nor') === undefined && !isListed) break;
  }
  cursor.skip('alone', 'out');
  return all.length === 0 ? undefined : all;
}

interface Exclusion {
  /** Behind a `not` alone. */
  readonly isBare: boolean;
  readonly isWide: boolean;
  /** Behind `in`: a place. */
  readonly isInside: boolean;
  /** Behind `from`: a place, or a person whose name files have. */
  readonly isFrom: boolean;
}

interface Excluded extends Pick<Exclusion, 'isInside' | 'isFrom'> {
  readonly patterns: readonly string[];
}

function excluded(cursor: Place, how: Exclusion): Excluded | undefined {
  cursor.skip(beforeExcluded);
  const word = cursor.take('in', 'inside', 'from', 'under');
  const isInside = word !== undefined || how.isInside;
  const isFrom = word === 'from' || (word === undefined && how.isFrom);
  const patterns = patternsAt(cursor, { ...how, isInside, isFrom });
  return patterns && { patterns, isInside, isFrom };
}

function patternsAt(
  cursor: Place,
  { isBare, isWide, isInside, isFrom }: Exclusion,
): readonly string[] | undefined {
  const { token, sentence, at } = cursor;
  const isKind = kindAt(sentence.cursor(at)) !== undefined;
  const folder = cursor.try((ahead) => {
    const found = folderAt(ahead);
    const last = sentence.tokens[ahead.at - 1];
    const isNamed = isFolderNoun(last?.fold) || last?.kind !== 'word';
    // "Except invoices" may be some files; "except Invoices" is the folder.
    const isProper = (isWide || !isKind) && /^\p{Lu}/u.test(last?.text ?? '');
    // "Except the photos", where a folder of that name is there.
    const isBoth = isWide && isKind && found?.isKnown === false;
    if (!isInside && (isBare || !(isNamed || isProper || isBoth))) return undefined;
    const isPlace = isInside && !isFrom;
    const isSure = isPlace || isFolderNoun(last?.fold) || last?.kind === 'path';
    return found && { path: found.path, isSure };
  });
  if (cursor.take('extension', 'extensions', 'file extension') !== undefined) return ['*.*'];
  if (folder !== undefined) {
    const name = lastOf(folder.path);
    if (folder.isSure || !isWide) return [name];
    const kind = kindAt(sentence.cursor(at));
    if (kind === undefined) return [partOfName(name)];
    return kind.name === undefined ? [name, ...patternsOf(kind)] : patternsOf(kind);
  }
  const kind = kindAt(cursor);
  if (kind !== undefined) return patternsOf(kind);
  if (token === undefined || token.kind === 'word') return undefined;
  cursor.at++;
  return isWide ? widely(token, sentence.tokens[at - 1]) : [token.text];
}

/** `"notes"` is a part of names; of `my report.pdf` the first word may be one of the name. */
function widely({ kind, text }: Token, before: Token | undefined): string[] {
  const name = lastOf(text);
  if (kind === 'quoted' && !/[*?]/.test(name)) {
    return [/\.\p{L}\w{0,7}$/u.test(name) ? escaped(name) : partOfName(name)];
  }
  if (text.includes('/')) return [name];
  const isLonger = kind === 'name' && articles.has(before?.fold ?? '');
  return isLonger ? [text, `${before?.text} ${text}`] : [text];
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function partOfName(text: string): string {
  return `*${escaped(text)}*`;
}

/** A name as a pattern: its brackets stand for themselves. */
function escaped(name: string): string {
  return name.replaceAll(/[[{]/g, '[$&]');
}

/** Files that are named as they are: `report.pdf`, `"my notes"`, `~/x/y.txt`. */
export function takeFileNames(sentence: Sentence): string[] {
  return sentence.takeAll((cursor) => {
    const { token, at } = cursor;
    if (token === undefined || token.kind === 'word' || token.kind === 'pattern') return undefined;
    // "From example.com": nothing comes out of a file.
    const isFrom = sentence.word(at - 1) === 'from' && sentence.isFree(at - 1);
    if (token.kind === 'name' && isFrom) return undefined;
    cursor.at++;
    const isCut = token.kind === 'path' && !/\.\w{1,8}$/.test(token.text) && !token.isEnd;
    if (!isCut || cursor.token?.kind !== 'name') return token.text;
    const { text } = cursor.token;
    cursor.at++;
    return `${token.text} ${text}`;
  });
}
