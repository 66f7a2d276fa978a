/** `create a file called X saying "text"`, `write "text" to X`, `save "text" as X`. */
import type { FileRequest } from '../../kernel/files/request.ts';
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import {
  belowHome,
  type FolderFound,
  folderAt,
  herePath,
  knownPath,
  pathBelow,
  type Said,
} from './folders.ts';
import { textAt } from './names.ts';
import { afterPoliteness, verbAt } from './verbs.ts';
import { isFiller } from './words.ts';

const example = 'Say: create a file called "name.txt" saying "text".';
const nouns = wordSet('new text note plain empty blank document markdown csv saying says txt');

export function understandWriting(
  sentence: Said,
  { isDryRun }: { readonly isDryRun: boolean },
): Understanding | undefined {
  const start = afterPoliteness(sentence);
  const verb = verbAt(sentence.cursor(start));
  const next =
    puttingAt(sentence, start) ??
    overwritingAt(sentence, start) ??
    (verb?.verb === 'write' ? verb.next : undefined);
  if (next === undefined) return undefined;
  sentence.use(0, next);
  const content = takeInIt(sentence) ?? takeText(sentence);
  const folder = takePlace(sentence);
  const name = takeName(sentence);
  const asks = (reading: string, question: string): Understanding => ({
    ...{ kind: 'asks-back', reading: oneLine(reading), confidence: 0.3, unused, question },
    ...(name === undefined
      ? { request: { action: 'write_file', ...(content === undefined ? {} : { content }) } }
      : { request }),
  });
  const path = pathOf(name ?? '', folder, sentence.world);
  const options = isDryRun ? { options: { dry_run: true } } : {};
  const request: FileRequest = { action: 'write_file', path, content: content ?? '', ...options };
  const unused = sentence
    .free()
    .filter(({ token: { fold } }) => !isFiller(fold) && !nouns.has(fold))
    .map(({ token }) => token.text);
  if (name === undefined) return asks('Write a file', `What shall the file be called? ${example}`);
  if (content === undefined && !isForEmpty(sentence, start))
    return asks(`Write ${quote(name)}`, `What shall be in it? Say: write "…" to ${oneLine(name)}.`);
  const text = (content ?? '') === '' ? 'with nothing in it' : `with ${quote(content ?? '')}`;
  const reading = oneLine(`Write ${quote(path)} ${text}`);
  if (path.split('/').includes('..'))
    return asks(reading, 'I do not follow "..". Please say the whole path.');
  if (unused.length > 0)
    return asks(
      reading,
      `I did not understand ${unused.map((word) => quote(word)).join(', ')}. ${example}`,
    );
  return { kind: 'understood', reading, confidence: 0.9, unused, request };
}

/** `Desktop/a.txt` is on the desktop, wherever the sentence was said. */
function pathOf(name: string, folder: FolderFound | undefined, world: SentenceWorld): string {
  if (/^(?:[~/]|\.\/)/.test(name)) return belowHome(name, world);
  const known = folder === undefined && name.includes('/') ? knownPath(name, world) : undefined;
  return known ?? pathBelow(folder?.path ?? herePath(world), name);
}

const texting = wordSet('write save jot note record');
const emptyWords = wordSet('file empty blank document note nothing');

/** `create a.txt`, `write an empty file a.txt`; "write my name to a.txt" is to have something in it. */
function isForEmpty(sentence: Sentence, start: number): boolean {
  const isText = texting.has(sentence.word(start));
  return !isText || sentence.tokens.slice(start + 1).some(({ fold }) => emptyWords.has(fold));
}

const putting = phrases('put, place, stick, note, store, record, type, enter');

/** `put "…" into a.txt`, `note "…" in a.txt`: behind the verb, where a text follows it. */
function puttingAt(sentence: Sentence, start: number): number | undefined {
  const cursor = sentence.cursor(start);
  const isPut = cursor.take(putting) !== undefined;
  const next = cursor.at;
  const hasFile = sentence.tokens.some(
    ({ kind, fold }) =>
      kind === 'name' || fold === 'file' || (kind === 'path' && /\.\w+$/.test(fold)),
  );
  return isPut && isTextAt(cursor) && hasFile ? next : undefined;
}

const overwriting = phrases(`
overwrite the (contents of|content of|text in), replace the (contents|content) of, overwrite
replace (all the text|everything) in`);

/** `overwrite a.txt with "…"`: all of it, behind the verb. */
export function overwritingAt(sentence: Sentence, start: number): number | undefined {
  const cursor = sentence.cursor(start);
  if (cursor.take(overwriting) === undefined) return undefined;
  const next = cursor.at;
  cursor.skip('the', 'my', 'file', 'called', 'named');
  const isFile = cursor.token?.kind === 'name' || cursor.token?.kind === 'path';
  cursor.at++;
  const isText = cursor.take('with', 'by') !== undefined && isTextAt(cursor);
  return isFile && isText ? next : undefined;
}

/** `the text "…"`, `the words '…'`. */
function isTextAt(cursor: Cursor): boolean {
  cursor.skip('the', 'following', 'text', 'words', 'word', 'line', 'sentence', 'message', 'phrase');
  return cursor.token?.kind === 'quoted';
}

const textCues = phrases(`
(that|which) says, saying, with [the] [following] (text|content|contents), with the following
containing, that contains, with the (words|line|message), and (write|put), that reads, reading, with`);
const asContent = phrases('as [its|the] (contents|content|text), in [it], inside, into it');

/** Behind a cue; else the first quoted text that is no name. */
function takeText(sentence: Sentence): string | undefined {
  const cued = sentence.take(cuedText);
  if (cued !== undefined) return cued;
  const first = sentence.free().find(({ token }) => !isFiller(token.fold) && token.fold !== 'text');
  if (first?.token.kind !== 'quoted') return undefined;
  sentence.use(first.at);
  return first.token.text;
}

/** `with milk, eggs and bread in it`: everything up to `in it`. */
function takeInIt(sentence: Sentence): string | undefined {
  const { tokens } = sentence;
  const end = tokens.length - 2;
  const isInIt = tokens[end]?.fold === 'in' && tokens[end + 1]?.fold === 'it';
  const start = tokens.findLastIndex(({ kind, fold }) => kind === 'word' && fold === 'with');
  const words = tokens.slice(start + 1, end);
  const isPlain = words.length > 0 && words.every(({ kind }) => kind === 'word');
  if (!isInIt || start === -1 || !isPlain) return undefined;
  sentence.use(start, tokens.length);
  const text = spoken(words);
  return text === 'nothing' ? '' : text;
}

/** As it was said, with its commas; a contraction is two words of one spelling. */
function spoken(words: readonly Token[]): string {
  return words
    .filter(({ text }, at) => !(text.includes("'") && words[at - 1]?.text === text))
    .map(({ text, isEnd }, at, all) => (isEnd && at < all.length - 1 ? `${text},` : text))
    .join(' ');
}

function cuedText(cursor: Cursor): string | undefined {
  const cue = cursor.take(textCues);
  if (cue === undefined) return undefined;
  cursor.skip('the', 'text', 'words', 'just', 'only');
  const { token, sentence } = cursor;
  if (token?.kind === 'quoted') {
    cursor.at++;
    cursor.skip(asContent);
    return token.text;
  }
  const words = sentence.tokens.slice(cursor.at);
  // What stands around a quotation is lost: `print("hi")`.
  const isLost = words.some(({ kind }) => kind === 'quoted');
  if (cue === 'with' || token === undefined || isLost) return undefined;
  cursor.at = sentence.tokens.length;
  return spoken(words);
}

function takePlace(sentence: Said): FolderFound | undefined {
  return sentence.take((cursor) => {
    const isLed = cursor.take('in', 'on', 'inside', 'to', 'into', 'under') !== undefined;
    return isLed ? folderAt(cursor) : undefined;
  });
}

const namings = phrases(`
called, named, with the name, as, titled, (call|name|calling|naming) it, entitled, by the name of`);

function takeName(sentence: Sentence): string | undefined {
  const called = (cursor: Cursor) =>
    cursor.take(namings) === undefined ? undefined : textAt(cursor)?.text;
  const written = (cursor: Cursor) =>
    cursor.word === undefined && cursor.token?.kind !== 'pattern'
      ? textAt(cursor)?.text
      : undefined;
  return sentence.take(called) ?? sentence.take(written);
}
