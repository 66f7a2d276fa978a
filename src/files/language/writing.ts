/** `create a file called X saying "text"`, `write "text" to X`, `save "text" as X`. */
import type { FileRequest } from '../../kernel/files/request.ts';
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import {
  belowHome,
  type FolderFound,
  folderAt,
  herePath,
  knownPath,
  pathBelow,
} from './folders.ts';
import { phraseAt } from './places.ts';
import { isFiller } from './stop-words.ts';
import { afterPoliteness, verbAt } from './verbs.ts';

export function understandWriting(
  sentence: Sentence,
  world: SentenceWorld,
  { isDryRun }: { readonly isDryRun: boolean },
): Understanding | undefined {
  const start = afterPoliteness(sentence);
  const verb = verbAt(sentence.cursor(start));
  const next =
    puttingAt(sentence, start) ??
    overwritingAt(sentence, start) ??
    (verb?.deed === 'write' ? verb.next : undefined);
  if (next === undefined) return undefined;
  sentence.use(0, next);
  const content = takeInIt(sentence) ?? takeText(sentence);
  const folder = takePlace(sentence, world);
  const name = takeName(sentence);
  const left = sentence
    .free()
    .map(({ token }) => token)
    .filter(({ fold }) => !isFiller(fold) && !nouns.has(fold));
  const unused = left.map(({ text }) => text);
  if (name === undefined) return askName(content);
  if (content === undefined && !isForEmpty(sentence, start)) return askText(name);
  const path = pathOf(name, folder, world);
  const request: FileRequest = {
    action: 'write_file',
    path,
    content: content ?? '',
    ...(isDryRun ? { options: { dry_run: true } } : {}),
  };
  const text =
    content === undefined || content === '' ? 'with nothing in it' : `with ${quote(content)}`;
  const reading = oneLine(`Write ${quote(path)} ${text}`);
  const isAbove = path.split('/').includes('..');
  if (isAbove) {
    const question = 'I do not follow "..". Please say the whole path.';
    return { kind: 'asks-back', reading, confidence: 0.3, unused, question, request };
  }
  if (unused.length === 0) return { kind: 'understood', reading, confidence: 0.9, unused, request };
  const question = `I did not understand ${unused.map((word) => quote(word)).join(', ')}. Say: create a file called "name.txt" saying "text".`;
  return { kind: 'asks-back', reading, confidence: 0.3, unused, question, request };
}

/** `Desktop/a.txt` is on the desktop, wherever the sentence was said. */
function pathOf(name: string, folder: FolderFound | undefined, world: SentenceWorld): string {
  if (/^[~/]/.test(name)) return belowHome(name, world);
  const known = folder === undefined && name.includes('/') ? knownPath(name, world) : undefined;
  return known ?? pathBelow(folder?.path ?? herePath(world), name);
}

const nouns = new Set(
  'new text note plain empty blank document markdown csv saying says txt'.split(' '),
);

/** `create a.txt`, `write an empty file a.txt`; "write my name to a.txt" is to have something in it. */
function isForEmpty({ tokens }: Sentence, start: number): boolean {
  const isText = ['write', 'save', 'jot', 'note', 'record'].includes(tokens[start]?.fold ?? '');
  const words = ['file', 'empty', 'blank', 'document', 'note', 'nothing'];
  return !isText || tokens.slice(start + 1).some(({ fold }) => words.includes(fold));
}

function askText(name: string): Understanding {
  const reading = oneLine(`Write ${quote(name)}`);
  const question = `What shall be in it? Say: write "…" to ${oneLine(name)}.`;
  return { kind: 'asks-back', reading, confidence: 0.3, unused: [], question };
}

function askName(content: string | undefined): Understanding {
  const request = { action: 'write_file' as const, ...(content === undefined ? {} : { content }) };
  const question =
    'What shall the file be called? Say: create a file called "name.txt" saying "text".';
  return {
    kind: 'asks-back',
    reading: 'Write a file',
    confidence: 0.3,
    unused: [],
    question,
    request,
  };
}

/** `put "…" into a.txt`, `note "…" in a.txt`: behind the verb, where a text follows it. */
function puttingAt(sentence: Sentence, start: number): number | undefined {
  const cursor = sentence.cursor(start);
  const said = cursor.take('put', 'place', 'stick', 'note', 'store', 'record', 'type', 'enter');
  const next = cursor.at;
  return said !== undefined && isTextAt(cursor) && hasNewFile(sentence) ? next : undefined;
}

const overwriting = [
  ...['overwrite the contents of', 'overwrite the content of', 'overwrite the text in'],
  ...['replace the contents of', 'replace the content of', 'replace all the text in', 'overwrite'],
  ...['replace everything in'],
];

/** `overwrite a.txt with "…"`: all of it, behind the verb. */
export function overwritingAt(sentence: Sentence, start: number): number | undefined {
  const cursor = sentence.cursor(start);
  if (cursor.take(...overwriting) === undefined) return undefined;
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

function hasNewFile({ tokens }: Sentence): boolean {
  return tokens.some(
    ({ kind, fold }) =>
      kind === 'name' || fold === 'file' || (kind === 'path' && /\.\w+$/.test(fold)),
  );
}

const textCues = [
  ...[
    'that says',
    'which says',
    'saying',
    'with the text',
    'with the following text',
    'with the following content',
    'with the following',
    'with the content',
    'with the contents',
  ],
  ...[
    'containing',
    'that contains',
    'with the words',
    'with the line',
    'with text',
    'with content',
  ],
  ...['and write', 'and put', 'that reads', 'reading', 'with the message', 'with'],
];

/** Behind a cue; else the first quoted text that is no name. */
function takeText(sentence: Sentence): string | undefined {
  const cued = sentence.take((cursor) => cursor.try(cuedText));
  if (cued !== undefined) return cued.found;
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
  if (!isInIt || start === -1 || tokens[start + 1]?.kind === 'quoted') return undefined;
  const words = tokens.slice(start + 1, end);
  // "With nothing in it".
  const isNothing = words.length === 1 && words[0]?.fold === 'nothing';
  if (words.length === 0 || words.some(({ kind }) => kind !== 'word')) return undefined;
  sentence.use(start, tokens.length);
  return isNothing ? '' : spoken(words);
}

/** As it was said, with its commas; a contraction is two words of one spelling. */
function spoken(words: readonly Token[]): string {
  return words
    .filter(({ text }, at) => !(text.includes("'") && words[at - 1]?.text === text))
    .map(({ text, isEnd }, at, all) => (isEnd && at < all.length - 1 ? `${text},` : text))
    .join(' ');
}

function cuedText(cursor: Cursor): string | undefined {
  const cue = cursor.take(...textCues);
  if (cue === undefined) return undefined;
  cursor.skip('the', 'text', 'words', 'just', 'only');
  const { token } = cursor;
  if (token?.kind === 'quoted') {
    cursor.at++;
    cursor.skip('as its contents', 'as its content', 'as the contents', 'as the content');
    cursor.skip('as contents', 'as content', 'as its text', 'as text', 'in it', 'inside', 'in');
    cursor.skip('into it');
    return token.text;
  }
  if (cue === 'with' || token === undefined) return undefined;
  const words = cursor.sentence.tokens.slice(cursor.at);
  // What stands around a quotation is lost: `print("hi")`.
  if (words.some(({ kind }) => kind === 'quoted')) return undefined;
  cursor.at = cursor.sentence.tokens.length;
  return spoken(words);
}

function takePlace(sentence: Sentence, world: SentenceWorld): FolderFound | undefined {
  return sentence.take((cursor) =>
    cursor.try((place) =>
      place.take('in', 'on', 'inside', 'to', 'into', 'under') === undefined
        ? undefined
        : folderAt(place, world),
    ),
  )?.found;
}

const namings = [
  ...['called', 'named', 'with the name', 'as', 'titled', 'call it', 'name it', 'calling it'],
  ...['naming it', 'entitled', 'by the name of'],
];

function takeName(sentence: Sentence): string | undefined {
  const called = sentence.take((cursor) =>
    cursor.try((place) => {
      if (place.take(...namings) === undefined) return undefined;
      const { token } = place;
      if (token === undefined) return undefined;
      if (token.kind !== 'word') {
        place.at++;
        return token.text;
      }
      const words = phraseAt(place);
      place.at += words.length;
      return words.length === 0 ? undefined : words.map(({ text }) => text).join(' ');
    }),
  );
  if (called !== undefined) return called.found;
  return sentence.take((cursor) => {
    const { token } = cursor;
    if (token?.kind !== 'name' && token?.kind !== 'path' && token?.kind !== 'quoted')
      return undefined;
    cursor.at++;
    return token.text;
  })?.found;
}
