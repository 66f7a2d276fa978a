/** What a verb is really about: one file, how large a folder is, or where something is thrown. */
import type { Sentence } from '../../kernel/language/cursor.ts';
import type { FolderFound } from './folders.ts';
import type { TextWanted } from './named-files.ts';
import type { VerbFound } from './verbs.ts';

/** `open the file called a.txt` is about that file. */
export function calledFile(called: TextWanted | undefined, { deed }: VerbFound): string[] {
  const isAbout = ['read', 'details', 'usage'].includes(deed);
  const isWhole = called?.isPart !== true && /\.\w{1,8}$/.test(called?.text ?? '');
  return isAbout && isWhole && called !== undefined ? [called.text] : [];
}

const sizeAdjectives = new Set('bigger larger smaller over more big large huge full'.split(' '));

/** `is Videos bigger than 20 GB`: of the folder, and not of what is in it. */
export function asksSize({ tokens }: Sentence, folders: readonly FolderFound[]): boolean {
  const at = tokens.findIndex(({ fold }) => sizeAdjectives.has(fold));
  const subject = tokens.slice(1, at).map(({ fold }) => fold);
  const isPlain = subject.every(
    (word) => !['there', 'anything', 'something', 'any'].includes(word),
  );
  return tokens[0]?.fold === 'is' && at > 1 && isPlain && folders.length === 1;
}

/** `dump the photos into Archive` keeps them. */
export function thrownInto({ tokens }: Sentence, { said }: VerbFound): boolean {
  const isThrown = ['dump', 'toss'].includes(said);
  return isThrown && tokens.some(({ fold }) => fold === 'into' || fold === 'onto');
}

/** `Where was sunset.jpg taken?`: what the file tells of itself. */
export function asksOrigin({ tokens }: Sentence, files: readonly string[]): boolean {
  const [where, was] = tokens.map(({ fold }) => fold);
  const isTaken = ['taken', 'shot', 'recorded'].includes(tokens.at(-1)?.fold ?? '');
  return where === 'where' && was === 'was' && isTaken && files.length === 1;
}

/** "Show me notes.md" wants to read it, "what is report.pdf" to know what it is. */
export function aboutOne(verb: VerbFound, files: readonly string[]): VerbFound {
  // Whose path is known is not looked for: "is there a ~/Documents/a.txt".
  const isPlaced = files.length === 1 && files[0]?.includes('/') === true;
  const isOpened = ['look inside', 'look in'].includes(verb.said);
  if (isPlaced && isOpened) return { ...verb, deed: 'read' };
  if (isPlaced && verb.deed === 'find') return { ...verb, deed: 'details' };
  if (files.length !== 1 || verb.deed !== 'list') return verb;
  if (verb.said === 'what is') return { ...verb, deed: 'details' };
  const reads = [
    'display',
    'show',
    'show me',
    'view',
    'see',
    'let me see',
    'what is in',
    'what is inside',
    'have a look at',
    'take a look at',
    'look at',
    'print',
  ];
  return reads.includes(verb.said) ? { ...verb, deed: 'read' } : verb;
}

/** "Is photo.heic an image?" wants to know what it is. */
export function askedAbout(
  { tokens }: Sentence,
  verb: VerbFound,
  files: readonly string[],
): VerbFound {
  const [first, ...rest] = tokens;
  const second = rest.find(({ fold }) => !['the', 'my', 'file', 'photo', 'video'].includes(fold));
  const isAsked = first?.fold === 'is' && (second?.kind === 'name' || second?.kind === 'path');
  return isAsked && files.length === 1 ? { ...verb, deed: 'details', said: 'is' } : verb;
}
