/** Where files are to go: a folder that is there, a new one, or the trash. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { fold } from '../../kernel/language/tokens.ts';
import { type FolderFound, folderAt, folderNouns, misspelt, pathBelow } from './folders.ts';
import { phraseAt, siblingAt } from './places.ts';

export type Destination =
  | { readonly kind: 'trash' }
  /** `name`: what it shall be called there. */
  | { readonly kind: 'folder'; readonly folder: FolderFound; readonly name?: string | undefined }
  /** Another name beside the file itself. */
  | { readonly kind: 'file'; readonly name: string }
  /** Nothing that can be a folder: `somewhere safe`. */
  | { readonly kind: 'vague'; readonly said: string };

/** The last place that the sentence says something is to go to. */
export function takeDestination(
  sentence: Sentence,
  world: SentenceWorld,
  { from, isPut }: { readonly from: number; readonly isPut: boolean },
): Destination | undefined {
  const cues = [
    'over to',
    'back to',
    'back into',
    'into',
    'onto',
    'to',
    ...(isPut ? ['inside', 'in', 'on', 'under'] : []),
  ];
  for (let at = sentence.tokens.length - 1; at >= from; at--) {
    const cursor = sentence.cursor(at);
    if (cursor.take(...cues) === undefined) continue;
    const found = cursor.try((place) => destinationAt(place, world));
    if (found === undefined) continue;
    const isLed = ['back', 'over', 'across'].includes(sentence.tokens[at - 1]?.fold ?? '');
    sentence.use(isLed ? at - 1 : at, cursor.at);
    const other = otherPlace(sentence, world, { from, to: at });
    return other === undefined ? found : { kind: 'vague', said: other };
  }
  return undefined;
}

const naming = [
  ...['and name it', 'and call it', 'and rename it to', 'and rename it', 'and name the copy'],
  ...['and call the copy', 'calling it', 'naming it', 'under the name of', 'under the name'],
  ...['with the name', 'renaming it to', 'renamed to', 'as'],
];

/** `a copy of a.txt called b.txt`: what has a name already gets another. */
export function namesAgain({ tokens }: Sentence, at: number): boolean {
  const before = tokens[at - 1];
  const isCue = ['called', 'named'].includes(tokens[at]?.fold ?? '');
  return isCue && before !== undefined && before.kind !== 'word' && tokens[at + 1]?.kind !== 'word';
}

/** `to Archive as old.txt`, `and call it old.txt`: the name that it shall have there. */
export function takeNameThere(sentence: Sentence, from: number): string | undefined {
  return sentence.take(
    (cursor) =>
      cursor.try((place) => {
        const isAgain = namesAgain(sentence, place.at);
        const cues = isAgain ? [...naming, 'named', 'called'] : naming;
        if (place.take(...cues) === undefined) return undefined;
        const { token } = place;
        const isName =
          token?.kind === 'name' || (token?.kind === 'quoted' && /\.\w+$/.test(token.text));
        if (!isName) return undefined;
        place.at++;
        return token?.text;
      }),
    { from: from + 1 },
  )?.found;
}

/** `the PDFs to Archive and the photos to Pictures`: two things at once. */
function otherPlace(
  sentence: Sentence,
  world: SentenceWorld,
  { from, to }: { readonly from: number; readonly to: number },
): string | undefined {
  for (let at = from; at < to; at++) {
    const cursor = sentence.cursor(at);
    if (cursor.take('into', 'onto', 'to') === undefined) continue;
    const found = folderAt(cursor, world);
    if (found !== undefined) return found.said;
  }
  return undefined;
}

/** `mv a.txt Music`: the last of two is where it goes. */
export function takeLastArgument(
  sentence: Sentence,
  world: SentenceWorld,
  from: number,
): Destination | undefined {
  const first = sentence.cursor(from);
  const isFile = first.token !== undefined && first.token.kind !== 'word';
  const cursor = sentence.cursor(from + 1);
  if (!isFile || cursor.token === undefined) return undefined;
  const written = cursor.token;
  const found = destinationAt(cursor, world);
  if (found === undefined || cursor.at < sentence.tokens.length) return undefined;
  if (found.kind === 'folder' && found.folder.how === 'new' && written.kind === 'word') {
    return { kind: 'vague', said: written.text };
  }
  sentence.use(from + 1, cursor.at);
  return found;
}

function destinationAt(cursor: Cursor, world: SentenceWorld): Destination | undefined {
  const start = cursor.at;
  const same = cursor.take('the same folder as', 'the same place as', 'the folder of', 'where');
  if (same !== undefined) return { kind: 'vague', said: same };
  cursor.skip('the', 'my', 'a');
  if (
    cursor.take('trash', 'trash can', 'recycle bin', 'bin', 'rubbish', 'wastebasket') !== undefined
  ) {
    return { kind: 'trash' };
  }
  cursor.at = start;
  if (cursor.token?.kind === 'name') {
    const { text: name } = cursor.token;
    cursor.at++;
    return { kind: 'file', name };
  }
  const written = cursor.try((place) => writtenPath(place));
  const known = written ?? cursor.try((place) => wholeFolder(place, world));
  if (known === undefined) return newFolder(cursor, world);
  const second = siblingAt(cursor, world);
  if (second !== undefined) return { kind: 'vague', said: `${known.said} and ${second.said}` };
  return { kind: 'folder', folder: nested(cursor, known, world) };
}

/** `~/Old stuff`: a path goes on over the words behind it. */
function writtenPath(cursor: Cursor): FolderFound | undefined {
  cursor.skip('the', 'my', 'folder');
  const { token } = cursor;
  if (token?.kind !== 'path') return undefined;
  cursor.at++;
  if (!/^[~/]/.test(token.text)) {
    cursor.at--;
    return undefined;
  }
  const rest = token.isEnd
    ? []
    : phraseAt(cursor).filter(({ fold: folded }) => !folderNouns.includes(folded));
  cursor.at += rest.length;
  const path = [token.text, ...rest.map(({ text }) => text)].join(' ').replace(/(?<=.)\/$/, '');
  return { path, how: 'exact', others: [], said: path };
}

const politeEnds = new Set(['please', 'thanks', 'thank', 'now', 'asap', 'today', 'instead']);

// Where more words follow, it is another name: "Archive" is not "Archive 2025".
function wholeFolder(cursor: Cursor, world: SentenceWorld): FolderFound | undefined {
  const found = folderAt(cursor, world);
  if (found === undefined || found.how === 'new') return undefined;
  const isEnd = cursor.sentence.tokens[cursor.at - 1]?.isEnd === true;
  const [next] = phraseAt(cursor).filter(({ fold: word }) => !politeEnds.has(word));
  // "To Archive all the PDFs" goes on with what is moved.
  const goesOn = ['all', 'every', 'everything', 'any', 'the', 'my'].includes(next?.fold ?? '');
  return isEnd || next === undefined || goesOn ? found : undefined;
}

/** They name no folder: `their proper folders`, `the right place`. */
const unsaid = new Set([
  ...['their', 'its', 'his', 'her', 'proper', 'right', 'correct', 'appropriate', 'respective'],
  ...['own', 'other', 'different', 'separate', 'same', 'matching', 'usual', 'parent', 'previous'],
]);

function newFolder(cursor: Cursor, world: SentenceWorld): Destination | undefined {
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
  const names = words.filter(({ fold: folded }) => !folderNouns.includes(folded));
  const name = names.map(({ text }) => text).join(' ');
  if (name === '') return undefined;
  const isOther = names.some(({ fold: word }) => unsaid.has(word));
  const areMany = words.some(({ fold: word }) => /^(?:folders|directories)$/.test(word));
  if (isOther || areMany) return { kind: 'vague', said: name };
  const isNamed =
    isFolder || names.length < words.length || token?.kind === 'quoted' || /^\p{Lu}/u.test(name);
  // "Archive every Friday" is no name.
  const isProper = isFolder || names.every(({ text }) => /^[\p{Lu}\p{N}]/u.test(text));
  const isSure = names.length < words.length || token?.kind === 'quoted' || isProper;
  if ((!isNamed || !isSure) && token?.kind !== 'path') return { kind: 'vague', said: name };
  const like = token?.kind === 'word' && !isFolder ? misspelt(fold(name), world) : undefined;
  const made: FolderFound = { path: `~/${name}`, how: 'new', others: [], said: name };
  return { kind: 'folder', folder: like ?? nested(cursor, made, world) };
}

/** `Old in Documents` is below it. */
function nested(cursor: Cursor, folder: FolderFound, world: SentenceWorld): FolderFound {
  const parent = cursor.try((place) =>
    place.take('in', 'on', 'inside', 'under', 'of', 'within') === undefined
      ? undefined
      : folderAt(place, world),
  );
  if (parent === undefined) return folder;
  const candidates = [folder.path, ...folder.others];
  const below = candidates.find((path) => path.startsWith(`${parent.path}/`));
  const path = below ?? pathBelow(parent.path, folder.path.slice(folder.path.lastIndexOf('/') + 1));
  return { ...folder, path, others: [] };
}
