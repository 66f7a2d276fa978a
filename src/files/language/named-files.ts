/** Files by name, texts that are looked for, and what is left out. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { folderAt } from './folders.ts';
import { phraseAt } from './places.ts';
import { patternsOf, typeAt } from './type-words.ts';

export interface TextWanted {
  readonly text: string;
  readonly isExact: boolean;
  /** A part of the name, and not all of it. */
  readonly isPart?: boolean;
}

const contentCues = [
  ...['the word', 'the words', 'the phrase', 'the term', 'the expression', 'the string'],
  ...['for the word', 'for the words', 'for the phrase', 'for the text', 'for the term'],
  ...['that contain', 'that contains', 'which contain', 'which contains', 'containing', 'contains'],
  ...[
    'contain',
    'that mention',
    'that mentions',
    'which mention',
    'mentioning',
    'mentions',
    'mention',
  ],
  ...[
    'with the word',
    'with the words',
    'with the phrase',
    'with the text',
    'that say',
    'that says',
  ],
  ...[
    'that include',
    'that includes',
    'which say',
    'that talk about',
    'talking about',
    'with the string',
  ],
  ...[
    'including the word',
    'including the words',
    'have the word',
    'has the word',
    'that has the word',
  ],
  ...['that have the word', 'that have the words', 'with the term', 'saying'],
  ...['talk about', 'talks about', 'speak about', 'speak of', 'discuss', 'discusses', 'refer to'],
  ...['which talk about', 'that discuss', 'which discuss', 'discussing', 'that refer to'],
  ...['which mentions', 'which include', 'that deal with', 'which refer to', 'referring to'],
];

/** What has to be in the file. */
export function takeContent(sentence: Sentence): TextWanted | undefined {
  return sentence.take((cursor) =>
    cursor.try((place) => {
      // "The word documents" are a kind of files, and so is what "does it contain spreadsheets" asks.
      const isKind = (at: number) => typeAt(sentence.cursor(at)) !== undefined;
      if (isKind(place.at + 1)) return undefined;
      const isText = place.word === 'text' && sentence.tokens[place.at + 1]?.kind === 'quoted';
      if (!isText && place.take(...contentCues) === undefined) return undefined;
      if (['does', 'do'].includes(sentence.tokens[0]?.fold ?? '') && isKind(place.at))
        return undefined;
      place.skip('any mention of', 'any reference to', 'a reference to', 'references to');
      // "Does it contain any empty files" asks what is in a folder.
      if (['any', 'some', 'no'].includes(place.word ?? '')) return undefined;
      place.skip('the', 'word', 'words', 'phrase', 'text', 'string', 'term', 'exact');
      const wanted = place.try(quotedBehind) ?? textAt(place);
      place.skip('in them', 'inside', 'in it', 'inside them', 'somewhere');
      return wanted;
    }),
  )?.found;
}

/** `my phone number "555-1234"`: what is quoted says it. */
function quotedBehind(cursor: Cursor): TextWanted | undefined {
  cursor.at += phraseAt(cursor).length;
  const { token } = cursor;
  if (token?.kind !== 'quoted') return undefined;
  cursor.at++;
  return { text: token.text, isExact: true };
}

function textAt(cursor: Cursor): TextWanted | undefined {
  const { token } = cursor;
  if (token === undefined) return undefined;
  if (token.kind !== 'word') {
    cursor.at++;
    return { text: token.text, isExact: token.kind === 'quoted' };
  }
  const words = phraseAt(cursor);
  cursor.at += words.length;
  return words.length === 0
    ? undefined
    : { text: words.map(({ text }) => text).join(' '), isExact: false };
}

const calledCues = [
  ...['whose names are', 'whose name is', 'with the name', 'with the filename', 'by the name of'],
  ...['that is called', 'that are called', 'which is called', 'called', 'that is named', 'named'],
  ...['entitled', 'titled', 'with the title', 'that are named'],
];

/** `called report`, `with "draft" in the name`. */
export function takeCalled(sentence: Sentence): TextWanted | undefined {
  return sentence.take((cursor) => cursor.try(called) ?? cursor.try(inTheName))?.found;
}

function called(cursor: Cursor): TextWanted | undefined {
  if (cursor.take(...calledCues) === undefined) return undefined;
  cursor.skip('something like', 'the');
  // A pattern is taken for one elsewhere.
  return cursor.token?.kind === 'pattern' ? undefined : textAt(cursor);
}

const inNames = [
  ...['in the name', 'in the filename', 'in the file name', 'in their name', 'in their names'],
  ...['in its filename', 'in its file name', 'in their file names', 'in its title'],
  ...['in the title', 'in its name', 'in their filename', 'in the names', 'in their filenames'],
];

/** `that do not have "draft" in the name`: only where something is looked at. */
export function takeNotCalled(sentence: Sentence): string[] {
  return sentence.takeAll((cursor) =>
    cursor.try((place) => {
      place.skip('that', 'which');
      if (place.take('do not have', 'does not have', 'not having', 'without') === undefined)
        return undefined;
      place.skip('the', 'word');
      const unwanted = textAt(place);
      const isName = place.take(...inNames) !== undefined;
      return unwanted !== undefined && isName ? `*${unwanted.text}*` : undefined;
    }),
  );
}

function inTheName(cursor: Cursor): TextWanted | undefined {
  const before = cursor.take(
    ...[
      'whose names contain',
      'whose name contains',
      'whose filename contains',
      'with names containing',
    ],
    ...['whose names include', 'whose name includes', 'with a name containing'],
  );
  if (before !== undefined) return partOf(textAt(cursor));
  const cues = [
    'with',
    'that have',
    'which have',
    'having',
    'that has',
    'which has',
    'have',
    'has',
    'containing',
    'that contain',
    'which contain',
    'contain',
  ];
  if (cursor.take(...cues) === undefined) return undefined;
  cursor.skip('the', 'word');
  const wanted = textAt(cursor);
  const isName = cursor.take(...inNames);
  return isName === undefined ? undefined : partOf(wanted);
}

function partOf(wanted: TextWanted | undefined): TextWanted | undefined {
  return wanted && { ...wanted, isPart: true };
}

/** `starting with IMG_`, `ending in _old`: a pattern of the name. */
export function takeNamePattern(sentence: Sentence): string | undefined {
  const found = sentence.take((cursor) =>
    cursor.try((place) => {
      place.skip('whose', 'names', 'name', 'with', 'that', 'which', 'filename', 'filenames');
      const isStart = place.take(
        ...[
          'starting with',
          'beginning with',
          'start with',
          'begin with',
          'starts with',
          'begins with',
        ],
      );
      const isEnd =
        isStart ??
        place.take('ending with', 'ending in', 'end with', 'end in', 'ends with', 'ends in');
      if (isEnd === undefined) return undefined;
      const { token } = place;
      if (token === undefined) return undefined;
      place.at++;
      return isStart === undefined ? `*${token.text}` : `${token.text}*`;
    }),
  );
  return found?.found ?? patternAlone(sentence);
}

/** `IMG_*`; `*.log` is a kind of files. */
function patternAlone(sentence: Sentence): string | undefined {
  return sentence.take((cursor) => {
    const { token } = cursor;
    const isType = /^\*\.[a-z0-9]{1,10}$/.test(token?.fold ?? '');
    if (token?.kind !== 'pattern' || isType) return undefined;
    cursor.at++;
    return token.text;
  })?.found;
}

const exceptCues = [
  ...[
    'except for',
    'except',
    'excluding',
    'but not',
    'but no',
    'apart from',
    'other than',
    'not including',
  ],
  ...[
    'ignoring',
    'leaving out',
    'leave out',
    'without',
    'minus',
    'skipping',
    'skip',
    'that are not',
  ],
  ...[
    'which are not',
    'that is not',
    'but leave',
    'but keep',
    'but ignore',
    'besides',
    'but skip',
    'not',
  ],
  ...[
    'is not',
    'are not',
    'everything but',
    'anything but',
    'all but',
    'but exclude',
    'excepting',
    'aside from',
    'save for',
    'that are neither',
    'are neither',
    'neither',
  ],
];

/** Names, patterns and folders that are passed over. */
export function takeExclusions(sentence: Sentence, world: SentenceWorld): string[] {
  return sentence.takeAll((cursor) => cursor.try((place) => exclusion(place, world))).flat();
}

function exclusion(cursor: Cursor, world: SentenceWorld): string[] | undefined {
  const bare = cursor.take('with no extension', 'with no file extension', 'that have no extension');
  if (bare !== undefined) return ['*.*'];
  const cue = cursor.take(...exceptCues);
  if (cue === undefined) return undefined;
  const all: string[] = [];
  // "To Documents, not Work" leaves nothing out.
  const isBare = cue === 'not';
  const next = () => excluded(cursor, world, { isBare });
  for (let item = next(); item !== undefined; item = next()) {
    all.push(...item);
    if (!takeJoint(cursor)) break;
  }
  cursor.skip('alone', 'out');
  return all.length === 0 ? undefined : all;
}

/** On to the next of a list. */
function takeJoint(cursor: Cursor): boolean {
  const isListed = cursor.sentence.tokens[cursor.at - 1]?.isEnd === true;
  return cursor.take('and', 'or', 'nor') !== undefined || isListed;
}

function excluded(
  cursor: Cursor,
  world: SentenceWorld,
  { isBare }: { readonly isBare: boolean },
): string[] | undefined {
  return cursor.try((place) => {
    place.skip(
      'the',
      'any',
      'my',
      'all',
      'ones',
      'those',
      'files',
      'file',
      'called',
      'named',
      'anything',
    );
    place.skip('a', 'an', 'everything', 'folders', 'that', 'are', 'which', 'stuff');
    const isInside = place.take('in', 'inside', 'from', 'under') !== undefined;
    const { token } = place;
    const isKind = typeAt(place.sentence.cursor(place.at)) !== undefined;
    const folder = place.try((ahead) => {
      const found = folderAt(ahead, world);
      const last = ahead.sentence.tokens[ahead.at - 1];
      const isNamed = folderLast.test(last?.fold ?? '') || last?.kind !== 'word';
      // "Except invoices" may be some files; "except Invoices" is the folder.
      const isProper = !isKind && /^\p{Lu}/u.test(last?.text ?? '');
      return found !== undefined && (isInside || (!isBare && (isNamed || isProper)))
        ? found
        : undefined;
    });
    if (place.take('extension', 'extensions', 'file extension') !== undefined) return ['*.*'];
    if (folder !== undefined) return [folder.path.slice(folder.path.lastIndexOf('/') + 1)];
    const type = typeAt(place);
    if (type !== undefined) return patternsOf(type);
    if (token === undefined || token.kind === 'word') return undefined;
    place.at++;
    return [token.text];
  });
}

const folderLast = /^(?:folder|directory)$/;

/** Files that are named as they are: `report.pdf`, `"my notes"`, `~/x/y.txt`. */
export function takeFileNames(sentence: Sentence): string[] {
  return sentence.takeAll((cursor) => {
    const { token } = cursor;
    if (token?.kind !== 'name' && token?.kind !== 'quoted' && token?.kind !== 'path')
      return undefined;
    // "From example.com": nothing comes out of a file.
    const before = sentence.tokens[cursor.at - 1];
    if (token.kind === 'name' && before?.fold === 'from' && sentence.isFree(cursor.at - 1))
      return undefined;
    cursor.at++;
    const isCut = token.kind === 'path' && !/\.\w{1,8}$/.test(token.text) && !token.isEnd;
    const rest = isCut && cursor.token?.kind === 'name' ? cursor.token : undefined;
    if (rest !== undefined) cursor.at++;
    return rest === undefined ? token.text : `${token.text} ${rest.text}`;
  });
}
