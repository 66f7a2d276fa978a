/** What something shall be called from now on, or how new names are made: by date, numbered, … */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases } from '../../kernel/language/phrases.ts';
import { textAt } from './names.ts';
import type { VerbFound } from './verbs.ts';

export function takeNewName(sentence: Sentence, verb: VerbFound): string | undefined {
  const isNumber = verb.said === 'number';
  if (isNumber || verb.said === 'prefix') sentence.use(verb.at, verb.next);
  if (verb.said === 'prefix') return takePrefix(sentence);
  if (verb.said === 'call' || verb.said === 'give') return takeCalledThen(sentence, verb);
  const pattern = takePattern(sentence) ?? (isNumber ? '{n}{ext}' : undefined);
  if (pattern !== undefined && pattern !== '{n}{ext}') return pattern;
  const written = writtenName(sentence, verb.next);
  const extension = newExtension(sentence, written);
  if (extension !== undefined) return `{name}.${extension}`;
  // "Change a.txt's name to b.txt".
  if (verb.said === 'change') sentence.takePhrase('name', 'filename', 'file name');
  const isPattern = written?.includes('{') === true && !/\{ext\}|\.\w/.test(written);
  if (isPattern) return `${written}{ext}`;
  if (pattern === undefined || written === undefined) return pattern ?? written;
  return `${written}-{n}{ext}`;
}

const extensionWords = phrases('[the] [file] (extension|extensions)');

/** `all .jpeg files to .jpg`, `the extension of notes.txt to md`. */
function newExtension(sentence: Sentence, written: string | undefined): string | undefined {
  const [, extension] = /^\.?([a-z0-9]{1,10})$/i.exec(written ?? '') ?? [];
  if (extension === undefined) return undefined;
  const isSaid = sentence.takePhrase(extensionWords);
  const areMany = sentence.tokens.some(({ fold }) =>
    ['files', 'all', 'every', 'each'].includes(fold),
  );
  return isSaid || (written?.startsWith('.') && areMany) ? extension : undefined;
}

/** `call a.txt b.txt`, `give a.txt the name b.txt`: the second of two names. */
function takeCalledThen(sentence: Sentence, { next, said }: VerbFound): string | undefined {
  const names = sentence.free().filter(({ token, at }) => token.kind !== 'word' && at >= next);
  const [, second] = names;
  if (names.length !== 2 || second === undefined) return undefined;
  const isNamed = sentence.tokens.slice(next, second.at).some(({ fold }) => fold === 'name');
  if (said === 'give' && !isNamed) return undefined;
  sentence.use(second.at);
  sentence.takePhrase('the new name', 'the name', 'a new name', 'instead');
  sentence.takePhrase('instead', 'from now on');
  return second.token.text;
}

/** `prefix all photos with trip-`. */
function takePrefix(sentence: Sentence): string | undefined {
  const found = sentence.take((cursor) =>
    cursor.take('with', 'by') === undefined ? undefined : takeText(cursor),
  );
  return found && `${found}{name}{ext}`;
}

/** Whatever stands here. */
function takeText(cursor: Cursor): string | undefined {
  const { token } = cursor;
  if (token !== undefined) cursor.at++;
  return token?.text;
}

/** Behind the last `to`: a name as it is written. */
function writtenName(sentence: Sentence, from: number): string | undefined {
  for (let at = sentence.tokens.length - 2; at >= from; at--) {
    const cursor = sentence.cursor(at);
    if (cursor.take('to', 'as', 'into') === undefined) continue;
    cursor.skip('be', 'called', 'simply', 'the', 'name', 'just');
    const found = textAt(cursor);
    if (found === undefined) continue;
    sentence.use(at, cursor.at);
    return found.text;
  }
  return undefined;
}

/** The pattern of the new names, where the sentence describes one. */
function takePattern(sentence: Sentence): string | undefined {
  const rules = [added, addedAs, byDate, described];
  return rules.reduce<string | undefined>((found, rule) => found ?? sentence.take(rule), undefined);
}

const nameParts = phrases(`
to the (beginning|start|end) of their names, to (their|the) (names|name), to each name, in front
to the (beginning|end), in (the|their) names, in the name`);

/** `add the prefix draft-`, `by adding "old_" to the front`. */
function added(cursor: Cursor): string | undefined {
  cursor.skip('by', 'with');
  cursor.skip('add', 'adding', 'put', 'and');
  cursor.skip('the', 'a', 'an');
  const where = cursor.take('prefix', 'suffix');
  if (where === undefined) return undefined;
  cursor.skip('of', 'them', 'it', 'with');
  if (['to', 'in', 'all'].includes(cursor.token?.fold ?? 'to')) return undefined;
  const text = takeText(cursor);
  cursor.skip(nameParts);
  return where === 'prefix' ? `${text}{name}{ext}` : `{name}${text}{ext}`;
}

/** `add "2026-" as a prefix`, `add draft- to the front of`. */
function addedAs(cursor: Cursor): string | undefined {
  if (cursor.take('add', 'adding', 'by adding', 'put') === undefined) return undefined;
  const text = takeText(cursor);
  cursor.skip('as a', 'as the', 'as', 'to the', 'at the', 'in');
  const where = cursor.take('prefix', 'suffix', 'beginning', 'start', 'front', 'end');
  if (text === undefined || where === undefined) return undefined;
  cursor.skip(ofNames);
  return ['suffix', 'end'].includes(where) ? `{name}${text}{ext}` : `${text}{name}{ext}`;
}

const ofNames = phrases('of (the names [of]|their names|the name|each name), of, to');
const dateCues = phrases(
  'based on, according to, by, using, after, with, to [match], so they show',
);
const taken = phrases(`
[the|their] date [and time] taken, when they were taken, [the] (capture date|shooting date|exif date)
[the] date [and time] [when|that] (they were|it was) taken, the day they were taken, the time taken
their exif date, date shot`);
const modified = phrases(`
[the] date (modified|changed), [the|their] modification date, last modified date
[the] date they were (modified|changed), when they were changed`);
const anyDate = phrases('[their|the] (date|dates)');

/** `by date taken`, `after the date they were taken`, `to their modification date`. */
function byDate(cursor: Cursor): string | undefined {
  if (cursor.take(dateCues) === undefined) return undefined;
  if (cursor.take(taken) !== undefined) return '{taken}{ext}';
  if (cursor.take(modified) !== undefined) return '{modified}{ext}';
  if (cursor.take(anyDate) === undefined) return undefined;
  const areImages = cursor.sentence.tokens.some(({ fold }) =>
    /^(?:photo|picture|image|pic)s?$/.test(fold),
  );
  return areImages ? '{taken}{ext}' : '{modified}{ext}';
}

const numbered = phrases(`
[and] number them, numbering them, by number, with [sequential] numbers, sequentially, numbered
to (numbers|a number), in (sequence|order)`);
const leads = phrases(`
to, in, so, all, that, they, are, into, with, names, using, be, by, and, have, use, an, any, the`);
const replacing = phrases('replace, replacing, change, changing, turn, turning');
const lower = phrases('lowercase, lower case, lower-case, small letters');
const upper = phrases('uppercase, upper case, upper-case, capitals, capital letters');
const underscores = phrases('underscores, underscore, underlines');
const inNames = phrases(`
in [the|their] (names|file names|filenames), of [the|all] files, (instead of|for|in place of) spaces
names, letters, filenames`);

/** `numbered`, `in lower case`, `with underscores instead of spaces`. */
function described(cursor: Cursor): string | undefined {
  if (cursor.take(numbered) !== undefined) return '{n}{ext}';
  cursor.skip(leads);
  const isReplaced = cursor.take(replacing) !== undefined;
  if (isReplaced) cursor.skip('all', 'the', 'any');
  const isOfSpaces = cursor.take('spaces', 'blanks') !== undefined;
  if (isReplaced && !isOfSpaces) return undefined;
  if (isOfSpaces) cursor.skip(inNames);
  if (isOfSpaces && cursor.take('with', 'by', 'to', 'into') === undefined) return undefined;
  cursor.skip('an', 'the');
  const ways = [
    ...([[underscores, '{name_underscored}{ext}']] as const),
    ...(isOfSpaces
      ? []
      : ([
          [lower, '{name_lower}{ext}'],
          [upper, '{name_upper}{ext}'],
        ] as const)),
  ];
  const found = ways.find(([words]) => cursor.take(words) !== undefined)?.[1];
  if (found !== undefined) cursor.skip(inNames);
  return found;
}
