/** Names of files in a sentence that asks for a change: where each begins, and which are meant. */
import type { FileRequest } from '../../kernel/files/request.ts';
import { wordSet } from '../../kernel/language/phrases.ts';
import { quote } from '../../kernel/text/quote.ts';
import { belowHome, knownPath, type Said } from './folders.ts';
import { articles } from './names.ts';
import type { Slots } from './slots.ts';
import { isChange } from './verbs.ts';

/** A question, or nothing where the sentence is clear in this. */
export type Doubt = (slots: Slots, request: FileRequest) => string | undefined | false;

const joints = wordSet('and or with plus also');
/** They stand before a name without being a part of it. `A` may be either. */
const before = wordSet(`
the my our your this that file files called named name it not except excluding without besides only
just please of in from at to as into by for is be but skip keep ignore save all any every also minus
and or nor with plus both than`);

export const ofNames: readonly Doubt[] = [
  ({ files, verb }) =>
    files.some((file) => file.trim() === '') &&
    `Which file shall I ${verb.said}? There is nothing between the quotes.`,
  // `Work and notes.txt`: the folder too, or the file in it?
  ({ files: [file, ...others], sentence: { tokens } }) => {
    const at = tokens.findIndex(({ text }) => text === file);
    const isSecond = others.length === 0 && joints.has(tokens[at - 1]?.fold ?? '');
    return isSecond && `Only ${quote(file ?? '')}, or more? Please tell me one at a time.`;
  },
  // `song two.mp3`, `a b.txt`: a word that says which, or a part of the name?
  ({ sentence: { tokens }, verb }) => {
    const at = tokens.findIndex(({ kind }, place) => {
      const last = tokens[place - 1];
      if (kind !== 'name' || last === undefined || last.isEnd || place <= verb.next) return false;
      return last.kind === 'path' || (last.kind === 'word' && !before.has(last.fold));
    });
    return at > 0 && 'Where does the name of the file begin? Please put it in quotes.';
  },
  // `*/*`: as much as everything.
  ({ files: [file = ''], verb }) =>
    lastOf(file).includes('*') &&
    tellsNothing(lastOf(file)) &&
    /^\*|\*.*\//.test(file) &&
    `Which files shall I ${verb.said}? Name a folder, a type, an age or a file.`,
  // A folder is taken with all that is in it.
  ({ exclude, sentence }, { path = '', options }) => {
    if (options?.recursive === true) return undefined;
    const folder = path.replace(/\/\*$/, '');
    const other = pathsIn(sentence).find(
      (each) => exclude.includes(lastOf(each)) && each !== `${folder}/${lastOf(each)}`,
    );
    return (
      other !== undefined &&
      `${quote(other)} does not lie directly in ${quote(folder)}. Which files do you mean?`
    );
  },
];

/** A pattern of nothing but stars, and letters of any kind: `*`, `[a-z]*`. */
export function tellsNothing(pattern: string): boolean {
  return !/[^*.?]/.test(pattern.replaceAll(/\[[^\]]*\]/g, ''));
}

/** `my report.pdf`: a file may be called all of that. */
export function longerNameOf({
  files: [file],
  sentence: { tokens },
  verb,
}: Slots): string | undefined {
  const at = tokens.findIndex(({ kind, text }) => kind === 'name' && text === file);
  const last = tokens[at - 1];
  const isLonger = isChange(verb.verb) && last !== undefined && articles.has(last.fold);
  return isLonger ? `${last.text} ${file}` : undefined;
}

/** What is written as a path, from the root. */
function pathsIn({ tokens, world }: Said): readonly string[] {
  const written = tokens.filter(({ text }) => text.includes('/'));
  return written.map(({ text }) => {
    const path = text.replace(/(?<=.)\/$/, '');
    return /^(?:[~/]|\.\/)/.test(path)
      ? belowHome(path, world)
      : (knownPath(path, world) ?? `~/${path}`);
  });
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
