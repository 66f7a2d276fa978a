/** Verbs that lead to nothing: negated ones, misspelt ones, and `archive`. */
import type { Understanding } from '../../kernel/files/understanding.ts';
import { Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { distance } from '../../kernel/language/spelling.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { quote } from '../../kernel/text/quote.ts';
import { knownPath, type Said } from './folders.ts';
import { kindAt } from './kinds.ts';
import { afterPoliteness, isChange, verbAt } from './verbs.ts';

const negations = phrases('not, never, avoid, stop, without, no, refrain from');
const between = phrases(`
ever, actually, want, you, me, to, be, get, have, need, going, dare, please, just, even, let, anyone
anything, try, it, think, should, we, i`);
const gerunds = wordSet('deleting removing moving copying renaming overwriting touching');
const nouns = wordSet('duplicate empty number backup trash');

/** U4: what is not to be done. */
export function negatedVerb(sentence: Said): string | undefined {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const word = cursor.take(negations);
    if (word === undefined) continue;
    cursor.skip(between);
    const { word: next = '' } = cursor;
    const found = verbAt(cursor);
    // "I cannot find it" asks for it.
    if (found?.verb === 'find' && sentence.word(at - 1) === 'can') continue;
    if (found === undefined && gerunds.has(next)) return next;
    const isHead = at <= 2 && (word === 'not' || word === 'never');
    if (found === undefined || nouns.has(found.said)) continue;
    if (isHead || isChange(found.verb)) return found.said;
  }
  return undefined;
}

const pronouns = phrases(`
anything, them, it, any, of, those, these, yet, files, or, everything, actually, for now, at all`);

/**
 * `Don't delete anything, just show me …`, `list … but do not delete them yet`: what is not to be
 * done to what is only looked at. Such a clause is taken out.
 */
export function takeReassurance(sentence: Said): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const isEnd = at === 0 || sentence.isEnd(at - 1);
    if (!isEnd && !['but', 'and'].includes(cursor.word ?? '')) continue;
    cursor.skip('but', 'and', 'please', 'i', 'you', 'just', 'so');
    if (cursor.take('do not', 'never', 'without') === undefined) continue;
    cursor.skip(between);
    const { word = '' } = cursor;
    const found = verbAt(cursor);
    if (found === undefined && !gerunds.has(word)) continue;
    if (found === undefined) cursor.at++;
    else if (!isChange(found.verb)) continue;
    cursor.skip(pronouns);
    const isOver = cursor.token === undefined || sentence.isEnd(cursor.at - 1);
    if (isOver && isLooking(sentence, at === 0 ? cursor.at : 0)) sentence.use(at, cursor.at);
  }
}

/** Nothing but looking is asked for from here on. */
function isLooking(sentence: Said, from: number): boolean {
  const cursor = sentence.cursor(from);
  cursor.skip('just', 'only', 'simply', 'but', 'please', 'can you', 'could you', 'i want to');
  const found = verbAt(cursor);
  return found !== undefined && !isChange(found.verb);
}

/** "Archive" as a verb may be a folder or a zip file. */
export function archiveVerb(sentence: Said, start: number): Understanding | undefined {
  if (sentence.word(start) !== 'archive') return undefined;
  const folder = knownPath('Archive', sentence.world);
  const common = { reading: 'Archive files', confidence: 0.4, unused: ['archive'] };
  if (folder === undefined) {
    const message = 'Making archives is work of the archive_agent; I can move files to a folder';
    return { kind: 'refused', ...common, agent: 'archive_agent', message };
  }
  const question = `Shall the files go to the folder ${quote(folder)}? Then say "move … to Archive". Compressing them is work of the archive_agent.`;
  const request = { action: 'move_file', destination: folder } as const;
  return { kind: 'asks-back', ...common, request, question };
}

const looking = ['show', 'find', 'list', 'search', 'display', 'locate', 'count', 'where', 'which'];
const changing = ['delete', 'remove', 'move', 'copy', 'rename', 'erase', 'trash', 'transfer'];
/** What a verb is followed by, and hardly any other word. */
const following = wordSet('me my the all every any for in files everything this these');

/** `shwo me my photos`: a verb at the head with a letter wrong is mended where it only looks. */
export function withVerbMended(tokens: readonly Token[]): readonly Token[] {
  const { at, verb } = misspelt(tokens, looking);
  if (verb === undefined) return tokens;
  return tokens.map((token, place) => (place === at ? { ...token, fold: verb } : token));
}

/** What changes files is asked for once more. */
export function misspeltChange({ tokens }: Said): string | undefined {
  const { verb } = misspelt(tokens, changing);
  return verb === undefined ? undefined : `Do you mean ${quote(verb)}? Please say it once more.`;
}

function misspelt(
  tokens: readonly Token[],
  verbs: readonly string[],
): { readonly at: number; readonly verb: string | undefined } {
  const sentence = new Sentence(tokens, undefined);
  const at = afterPoliteness(sentence);
  const [head, next] = tokens.slice(at);
  const isObject =
    following.has(sentence.word(at + 1)) ||
    (next !== undefined && next.kind !== 'word') ||
    kindAt(sentence.cursor(at + 1)) !== undefined;
  const isKnown = [verbAt, kindAt].some((rule) => rule(sentence.cursor(at)) !== undefined);
  const word = head?.kind === 'word' ? head.fold : '';
  // "Mode" and "cope" are words.
  const isMisspelt = isObject && !isKnown && word.length >= 4;
  return { at, verb: isMisspelt ? verbs.find((verb) => distance(verb, word) === 1) : undefined };
}
