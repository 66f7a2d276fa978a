/** `create a file called X saying "text"`, `write "text" to X`, `save "text" as X`. */
import type { FileRequest } from '../../kernel/files/request.ts';
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { oneLine, quote } from '../../kernel/quote.ts';
import { type FolderFound, folderAt, herePath, pathBelow } from './folders.ts';
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
  const isPut =
    verb?.said === 'put' && sentence.tokens[verb.next]?.kind === 'quoted' && hasNewFile(sentence);
  if (verb === undefined || (verb.deed !== 'write' && !isPut)) return undefined;
  sentence.use(0, verb.next);
  const content = takeText(sentence);
  const folder = takePlace(sentence, world);
  const name = takeName(sentence);
  const left = sentence
    .free()
    .map(({ token }) => token)
    .filter(({ fold }) => !isFiller(fold) && !nouns.has(fold));
  const unused = left.map(({ text }) => text);
  if (name === undefined) return askName(content);
  const isWhole = /^[~/]/.test(name);
  const path = isWhole ? name : pathBelow(folder?.path ?? herePath(world), name);
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

const nouns = new Set(
  'new text note plain empty blank document markdown csv saying says txt'.split(' '),
);

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

function hasNewFile({ tokens }: Sentence): boolean {
  return tokens.some(({ kind, fold }) => kind === 'name' || fold === 'file');
}

const textCues = [
  ...[
    'that says',
    'which says',
    'saying',
    'with the text',
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

function cuedText(cursor: Cursor): string | undefined {
  const cue = cursor.take(...textCues);
  if (cue === undefined) return undefined;
  cursor.skip('the', 'text', 'words', 'just', 'only');
  const { token } = cursor;
  if (token?.kind === 'quoted') {
    cursor.at++;
    cursor.skip('in it', 'inside', 'in', 'into it');
    return token.text;
  }
  if (cue === 'with' || token === undefined) return undefined;
  const words = cursor.sentence.tokens.slice(cursor.at);
  cursor.at = cursor.sentence.tokens.length;
  // A contraction is two words of one spelling.
  const texts = words.map(({ text }) => text);
  return texts
    .filter((text, index) => !(text.includes("'") && texts[index - 1] === text))
    .join(' ');
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

function takeName(sentence: Sentence): string | undefined {
  const called = sentence.take((cursor) =>
    cursor.try((place) => {
      if (place.take('called', 'named', 'with the name', 'as', 'titled') === undefined)
        return undefined;
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
