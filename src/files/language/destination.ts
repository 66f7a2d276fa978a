/** Where files are to go: a folder that is there, a new one, or the trash. */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { fold } from '../../kernel/language/tokens.ts';
import {
  belowHome,
  exactly,
  type FolderFound,
  folderAt,
  isFolderNoun,
  misspelt,
  type Place,
  pathBelow,
  phraseAt,
  type Said,
  textOf,
} from './folders.ts';
import { siblingAt } from './places.ts';
import type { VerbFound } from './verbs.ts';

export type Destination =
  | { readonly kind: 'trash' }
  /** `name`: what it shall be called there. */
  | { readonly kind: 'folder'; readonly folder: FolderFound; readonly name?: string | undefined }
  /** Another name beside the file itself. */
  | { readonly kind: 'file'; readonly name: string }
  /** Nothing that can be a folder: `somewhere safe`. */
  | { readonly kind: 'vague'; readonly said: string };

const putting = phrases(`
put, stick, drop, stash, tuck, throw, send, chuck, place, shove, (put|place|keep|save|store) a copy of`);

export function takeDestination(
  sentence: Said,
  { verb, said, next }: VerbFound,
): Destination | undefined {
  // Nothing is deleted to somewhere: there is a doubt of its own for that.
  if (verb === 'delete') return lastPlace(sentence, { from: next, isPut: false });
  if (verb !== 'move' && verb !== 'copy') return undefined;
  // With its whole path said, nothing but the place of the copy is left to say.
  const isWhole = said.endsWith('copy of') && sentence.tokens[next]?.kind === 'path';
  const name = takeNameThere(sentence, next);
  // "From Downloads to Music, move all songs" says it before.
  const found =
    lastPlace(sentence, { from: next, isPut: isWhole || putting.has(said) }) ??
    lastPlace(sentence, { from: 0, isPut: false });
  if (name !== undefined) return named(found, name);
  const isCommand = said === 'mv' || said === 'cp';
  return found ?? (isCommand ? takeLastArgument(sentence, next) : undefined);
}

function named(found: Destination | undefined, name: string): Destination {
  if (found === undefined) return { kind: 'file', name };
  return found.kind === 'folder' ? { ...found, name } : { kind: 'vague', said: name };
}

const towards = phrases('over to, back (to|into), into, onto, to');
const within = phrases('inside, in, on, under');

/** The last place that the sentence says something is to go to. */
function lastPlace(
  sentence: Said,
  { from, isPut }: { readonly from: number; readonly isPut: boolean },
): Destination | undefined {
  for (let at = sentence.tokens.length - 1; at >= from; at--) {
    const cursor = sentence.cursor(at);
    if (cursor.take(towards, ...(isPut ? [within] : [])) === undefined) continue;
    const found = cursor.try(destinationAt);
    if (found === undefined) continue;
    const isLed = ['back', 'over', 'across'].includes(sentence.word(at - 1));
    sentence.use(isLed ? at - 1 : at, cursor.at);
    const other = otherPlace(sentence, { from, to: at });
    return other === undefined ? found : { kind: 'vague', said: other };
  }
  return undefined;
}

const naming = phrases(`
and (name|call) (it|the copy), and rename it [to], (calling|naming) it, under the name [of]
with the name, renaming it to, renamed to, as`);

/** `a copy of a.txt called b.txt`: what has a name already gets another. */
export function namesAgain(sentence: Sentence, at: number): boolean {
  const { tokens } = sentence;
  const before = tokens[at - 1];
  const isCue = ['called', 'named'].includes(sentence.word(at));
  return isCue && before !== undefined && before.kind !== 'word' && tokens[at + 1]?.kind !== 'word';
}

/** `to Archive as old.txt`, `and call it old.txt`: the name that it shall have there. */
function takeNameThere(sentence: Sentence, from: number): string | undefined {
  const rule = (place: Cursor) => {
    if (place.at <= from) return undefined;
    const again = namesAgain(sentence, place.at) ? ['named', 'called'] : [];
    if (place.take(naming, ...again) === undefined) return undefined;
    const { token } = place;
    const isQuoted = token?.kind === 'quoted' && /\.\w+$/.test(token.text);
    if (token?.kind !== 'name' && !isQuoted) return undefined;
    place.at++;
    return token?.text;
  };
  return sentence.take(rule);
}

/** `the PDFs to Archive and the photos to Pictures`: two things at once. */
function otherPlace(
  sentence: Said,
  { from, to }: { readonly from: number; readonly to: number },
): string | undefined {
  for (let at = from; at < to; at++) {
    const cursor = sentence.cursor(at);
    const isTo = cursor.take('into', 'onto', 'to') !== undefined;
    const found = isTo ? folderAt(cursor) : undefined;
    if (found !== undefined) return found.said;
  }
  return undefined;
}

/** `mv a.txt Music`: the last of two is where it goes. */
function takeLastArgument(sentence: Said, from: number): Destination | undefined {
  const first = sentence.cursor(from).token;
  const cursor = sentence.cursor(from + 1);
  const { token: written } = cursor;
  if (first === undefined || first.kind === 'word' || written === undefined) return undefined;
  const found = destinationAt(cursor);
  if (found === undefined || cursor.at < sentence.tokens.length) return undefined;
  if (found.kind === 'folder' && found.folder.how === 'new' && written.kind === 'word') {
    return { kind: 'vague', said: written.text };
  }
  sentence.use(from + 1, cursor.at);
  return found;
}

const elsewhere = phrases('the same (folder|place) as, the folder of, where');
const trash = phrases('[the|my|a] (trash [can]|recycle bin|bin|rubbish|wastebasket)');

function destinationAt(cursor: Place): Destination | undefined {
  const same = cursor.take(elsewhere);
  if (same !== undefined) return { kind: 'vague', said: same };
  if (cursor.take(trash) !== undefined) return { kind: 'trash' };
  if (cursor.token?.kind === 'name') {
    const { text: name } = cursor.token;
    cursor.at++;
    return { kind: 'file', name };
  }
  const known = cursor.try(writtenPath) ?? cursor.try(wholeFolder);
  if (known === undefined) return newFolder(cursor);
  const second = siblingAt(cursor);
  if (second !== undefined) return { kind: 'vague', said: `${known.said} and ${second.said}` };
  return { kind: 'folder', folder: nested(cursor, known) };
}

/** `~/Old stuff`: a path goes on over the words behind it. */
function writtenPath(cursor: Place): FolderFound | undefined {
  cursor.skip('the', 'my', 'folder');
  const { token } = cursor;
  if (token?.kind !== 'path' || !/^(?:[~/]|\.\/)/.test(token.text)) return undefined;
  cursor.at++;
  const rest = token.isEnd ? [] : phraseAt(cursor).filter((word) => !isFolderNoun(word.fold));
  cursor.at += rest.length;
  const path = textOf([token, ...rest]).replace(/(?<=.)\/$/, '');
  return exactly(path.startsWith('./') ? belowHome(path, cursor.sentence.world) : path, path);
}

const politeEnds = wordSet('please thanks thank now asap today instead');
const objects = wordSet('all every everything any the my');

// Where more words follow, it is another name: "Archive" is not "Archive 2025".
function wholeFolder(cursor: Place): FolderFound | undefined {
  const found = folderAt(cursor);
  if (found === undefined || found.how === 'new') return undefined;
  const isEnd = cursor.sentence.isEnd(cursor.at - 1);
  const [next] = phraseAt(cursor).filter(({ fold: word }) => !politeEnds.has(word));
  // "To Archive all the PDFs" goes on with what is moved.
  return isEnd || next === undefined || objects.has(next.fold) ? found : undefined;
}

/** They name no folder: `their proper folders`, `the right place`. */
const unsaid = wordSet(`
their its his her proper right correct appropriate respective own other different separate same
matching usual parent previous folders directories`);

function newFolder(cursor: Place): Destination | undefined {
  cursor.skip('a', 'the', 'my', 'another', 'brand', 'new');
  const isFolder = cursor.take('folder', 'directory', 'subfolder') !== undefined;
  const isCalled = cursor.take('called', 'named', 'with the name') !== undefined;
  const { token } = cursor;
  // "The folder above" has no name.
  if (isFolder && !isCalled && /^\p{Ll}/u.test(token?.text ?? '') && token?.kind === 'word') {
    return { kind: 'vague', said: `folder ${token.text}` };
  }
  const words = token?.kind === 'quoted' || token?.kind === 'path' ? [token] : phraseAt(cursor);
  cursor.at += words.length;
  const names = words.filter((word) => !isFolderNoun(word.fold));
  const name = textOf(names);
  if (name === '') return undefined;
  // "Archive every Friday" is no name.
  const isProper = isFolder || names.every(({ text }) => /^[\p{Lu}\p{N}]/u.test(text));
  const isNamed = names.length < words.length || token?.kind === 'quoted' || isProper;
  const isCapital = isFolder || names.length < words.length || /^\p{Lu}/u.test(name);
  const isSure = isNamed && (isCapital || token?.kind === 'quoted');
  const isOther = words.some(({ fold: word }) => unsaid.has(word));
  if (isOther || (!isSure && token?.kind !== 'path')) return { kind: 'vague', said: name };
  const like =
    token?.kind === 'word' && !isFolder ? misspelt(fold(name), cursor.sentence.world) : undefined;
  const made: FolderFound = { ...exactly(`~/${name}`, name), how: 'new' };
  return { kind: 'folder', folder: like ?? nested(cursor, made) };
}

/** `Old in Documents` is below it. */
function nested(cursor: Place, folder: FolderFound): FolderFound {
  const parent = cursor.try((place) =>
    place.take('in', 'on', 'inside', 'under', 'of', 'within') === undefined
      ? undefined
      : folderAt(place),
  );
  if (parent === undefined) return folder;
  const candidates = [folder.path, ...folder.others];
  const below = candidates.find((path) => path.startsWith(`${parent.path}/`));
  const path = below ?? pathBelow(parent.path, folder.path.slice(folder.path.lastIndexOf('/') + 1));
  return { ...folder, path, others: [] };
}
