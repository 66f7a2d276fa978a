/** What a sentence says in passing: words that matter without naming anything. */
import { Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import type { Said } from './folders.ts';
import { kindAt } from './kinds.ts';
import type { VerbFound } from './verbs.ts';

/** `is Videos bigger than 20 GB`: of the folder, and not of what is in it. */
export function asksSize({ text }: Said, folders: readonly unknown[]): boolean {
  const subject = /^ is (.+?) (?:bigger|larger|smaller|over|more|big|large|huge|full) /.exec(text);
  const isPlain = !/\b(?:there|anything|something|any)\b/.test(subject?.[1] ?? 'any');
  return isPlain && folders.length === 1;
}

const reading = phrases(`
display, show [me], view, see, let me see, what is (in|inside), (have|take) a look at, look at, print`);

/** What the verb is really about: "show me notes.md" reads it, "what is a.pdf" asks what it is. */
export function askedAbout(
  { text }: Said,
  found: VerbFound,
  { files, isBare }: { readonly files: readonly string[]; readonly isBare: boolean },
): VerbFound {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return found;
  const details = { ...found, verb: 'details' } as const;
  // `Where was sunset.jpg taken?`: what the file tells of itself.
  if (/^ where was .*(?:taken|shot|recorded) $/.test(text)) return details;
  if (!isBare) {
    // "Is photo.heic an image?" wants to know what it is.
    const isAsked = /^ is (?:(?:the|my|file|photo|video) )*\S*(?:[^. ]\.[a-z0-9]+|\/\S*) /.test(
      text,
    );
    return isAsked ? { ...details, said: 'is' } : found;
  }
  // Whose path is known is not looked for: "is there a ~/Documents/a.txt".
  const isPlaced = file.includes('/');
  if (isPlaced && ['look inside', 'look in'].includes(found.said))
    return { ...found, verb: 'read' };
  if (isPlaced && found.verb === 'find') return details;
  if (found.verb !== 'list') return found;
  if (found.said === 'what is') return details;
  return reading.has(found.said) ? { ...found, verb: 'read' } : found;
}

const single =
  'file|thing|item|document|photo|picture|image|video|pdf|spreadsheet|song|screenshot|presentation|movie|film|zip|archive|note|clip|jpg|jpeg|png|doc|docx|txt|csv|mp3|mp4';
const plural =
  'files|documents|docs|images|photos|pictures|pics|videos|movies|clips|songs|tracks|recordings|names|folder|folders|archives|type';
/** `the PDF`, and neither `the PDF files` nor `the zip folder`; `the folder Archive` is called so. */
const definite = new RegExp(
  ` (?:the|a|an|this|that|my) (?:(?!folder |directory )\\S+ )?(?:${single}) (?!(?:${plural}) )`,
);

/** `What is not a PDF` are many. */
export function isOne({ tokens }: Sentence, exclusions: ReadonlySet<number>): boolean {
  const words = tokens.map(({ kind, fold }, at) => {
    return kind === 'word' && !exclusions.has(at) ? fold : '…';
  });
  return definite.test(` ${words.join(' ')} `);
}

const folderWords = wordSet('folders directories subfolders subdirectories sub-folders');

/** `folders in Work`, `every folder`; the noun behind the name of a folder is used up. */
export function asksForFolders(sentence: Sentence): boolean {
  return sentence.free().some(({ token: { fold }, at }) => {
    const isEach = ['every', 'each', 'any', 'all'].includes(sentence.word(at - 1));
    return folderWords.has(fold) || (isEach && ['folder', 'directory', 'subfolder'].includes(fold));
  });
}

/** `which folder`, `the biggest folders`; "in my home folder" asks for no folder. */
export function asksFolders({ text }: Said): boolean {
  return (
    / (?:folders|directories|subfolders|subdirectories|sub-folders) /.test(text) ||
    / (?:which|what|largest|biggest|heaviest|each|every) (?:folder|directory|subfolder) /.test(text)
  );
}

/** `Archive/old photos`: photos in a folder, or the name of it? */
export function isPathLonger({ tokens, world }: Said): boolean {
  const unread = new Sentence(tokens, world);
  return tokens.some(({ kind, text, isEnd }, at) => {
    const isFolder = kind === 'path' && !isEnd && !/\.\w{1,8}$|[*/]$/.test(text);
    const isLower = /^\p{Ll}/u.test(tokens[at + 1]?.text ?? '');
    return isFolder && isLower && kindAt(unread.cursor(at + 1)) !== undefined;
  });
}
