/** What something shall be called from now on, or how the new names are made. */
import type { Sentence } from '../../kernel/language/cursor.ts';
import { phraseAt } from './places.ts';
import { takeRenamePattern } from './rename-pattern.ts';
import type { VerbFound } from './verbs.ts';

export function takeNewName(sentence: Sentence, verb: VerbFound): string | undefined {
  const areImages = sentence.tokens.some(({ fold }) =>
    /^(?:photo|picture|image|pic)s?$/.test(fold),
  );
  const isNumber = verb.said === 'number';
  if (isNumber || verb.said === 'prefix') sentence.use(verb.at, verb.next);
  if (verb.said === 'prefix') return takePrefix(sentence);
  if (verb.said === 'call' || verb.said === 'give') return takeCalledThen(sentence, verb);
  const pattern = takeRenamePattern(sentence, { areImages }) ?? (isNumber ? '{n}{ext}' : undefined);
  if (pattern !== undefined && pattern !== '{n}{ext}') return pattern;
  const written = writtenName(sentence, verb.next);
  const extension = newExtension(sentence, written);
  if (extension !== undefined) return `{name}.${extension}`;
  // "Change a.txt's name to b.txt".
  if (verb.said === 'change')
    sentence.take((cursor) => cursor.take('name', 'filename', 'file name'));
  const isPattern = written?.includes('{') === true && !/\{ext\}|\.\w/.test(written);
  if (isPattern) return `${written}{ext}`;
  if (pattern === undefined || written === undefined) return pattern ?? written;
  return `${written}-{n}{ext}`;
}

/** `all .jpeg files to .jpg`, `the extension of notes.txt to md`. */
function newExtension(sentence: Sentence, written: string | undefined): string | undefined {
  const [, extension] = /^\.?([a-z0-9]{1,10})$/i.exec(written ?? '') ?? [];
  if (extension === undefined) return undefined;
  const isSaid = sentence.take((cursor) => {
    const said = cursor.take(
      'the file extension',
      'the file extensions',
      'the extensions',
      'the extension',
    );
    return said ?? cursor.take('file extension', 'file extensions', 'extensions', 'extension');
  });
  const areMany = sentence.tokens.some(({ fold }) =>
    ['files', 'all', 'every', 'each'].includes(fold),
  );
  return isSaid !== undefined || (written?.startsWith('.') && areMany) ? extension : undefined;
}

/** `call a.txt b.txt`, `give a.txt the name b.txt`: the second of two names. */
function takeCalledThen(sentence: Sentence, { next, said }: VerbFound): string | undefined {
  const names = sentence.free().filter(({ token, at }) => token.kind !== 'word' && at >= next);
  const [, second] = names;
  if (names.length !== 2 || second === undefined) return undefined;
  const isNamed = sentence.tokens.slice(next, second.at).some(({ fold }) => fold === 'name');
  if (said === 'give' && !isNamed) return undefined;
  sentence.use(second.at);
  sentence.take((cursor) => cursor.take('the new name', 'the name', 'a new name', 'instead'));
  sentence.take((cursor) => cursor.take('instead', 'from now on'));
  return second.token.text;
}

/** `prefix all photos with trip-`. */
function takePrefix(sentence: Sentence): string | undefined {
  const found = sentence.take((cursor) => {
    if (cursor.take('with', 'by') === undefined || cursor.token === undefined) return undefined;
    const { text } = cursor.token;
    cursor.at++;
    return text;
  });
  return found && `${found.found}{name}{ext}`;
}

/** Behind the last `to`: a name as it is written. */
function writtenName(sentence: Sentence, from: number): string | undefined {
  for (let at = sentence.tokens.length - 2; at >= from; at--) {
    const cursor = sentence.cursor(at);
    if (cursor.take('to', 'as', 'into') === undefined) continue;
    cursor.skip('be', 'called', 'simply', 'the', 'name', 'just');
    const { token } = cursor;
    if (token === undefined) continue;
    const words = token.kind === 'word' ? phraseAt(cursor) : [token];
    if (words.length === 0) continue;
    sentence.use(at, cursor.at + words.length);
    return words.map(({ text }) => text).join(' ');
  }
  return undefined;
}
