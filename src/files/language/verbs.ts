/** What is to be done: the verb of a sentence, behind whatever politeness stands before it. */
import type { FileAction } from '../../kernel/files/request.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { must } from '../../kernel/must.ts';
import { kindAt } from './kinds.ts';
import { polite, type Verb, verbOf, verbPhrases } from './verb-words.ts';

export interface VerbFound {
  readonly verb: Verb;
  /** The word or words of it. */
  readonly said: string;
  readonly at: number;
  readonly next: number;
}

export const actionOf: Readonly<Record<Verb, FileAction>> = {
  ...{ list: 'list_files', find: 'list_files', count: 'list_files' },
  ...{ move: 'move_file', rename: 'rename_file', copy: 'copy_file', delete: 'delete_file' },
  ...{ read: 'read_file', write: 'write_file', usage: 'get_disk_usage', details: 'get_metadata' },
};

/** Whether something is changed by it. */
export function isChange(verb: Verb): boolean {
  return ['move', 'rename', 'copy', 'delete', 'write'].includes(verb);
}

/** The folder stays, what is in it goes. */
export function isClearing({ said }: Pick<VerbFound, 'said'>): boolean {
  return ['empty', 'clear', 'clear out', 'clean out', 'wipe'].includes(said);
}

/** Shows them in an order. */
export function isSorting(found: Pick<VerbFound, 'said'> | undefined): boolean {
  return ['sort', 'arrange', 'order'].includes(found?.said ?? '');
}

/** They are also how the new name is described, and are read for that once more. */
const describing = phrases(
  'add [the|a] (prefix|suffix), add, number, prefix, replace [the|all] spaces, lowercase, uppercase',
);

/** At the head of the sentence, or else the first that can be one. */
export function takeVerb(sentence: Sentence): VerbFound | undefined {
  const start = afterPoliteness(sentence);
  const first = verbAt(sentence.cursor(start)) ?? askedFor(sentence, start);
  // "Deleted files" are gone already: nobody asks for it in that form.
  const isTold = ['i', 'we', 'you'].includes(sentence.word(start - 1));
  const isDone = first !== undefined && done.has(first.said) && !isTold;
  const head = first === undefined || isDone ? undefined : sharper(sentence, first);
  sentence.use(0, start);
  if (head === undefined) return doneVerb(sentence, start) ?? laterVerb(sentence);
  if (!describing.has(head.said)) sentence.use(start, head.next);
  // "Delete only the PDFs" are those.
  const only = sentence.cursor(head.next);
  const isOnly = isChange(head.verb) && only.take('only', 'just') !== undefined;
  if (isOnly && !/^\d/.test(only.word ?? '')) sentence.use(head.next);
  const flags = ['ls', 'du'].includes(head.said) ? sentence.tokens[head.next] : undefined;
  if (/^-[a-z]+$/.test(flags?.fold ?? '')) sentence.use(head.next);
  return head;
}

/** `I want to know the size of`. */
function askedFor(sentence: Sentence, start: number): VerbFound | undefined {
  const cursor = sentence.cursor(start);
  if (cursor.take('the') === undefined) return undefined;
  const found = verbAt(cursor);
  return found?.verb === 'usage' || found?.verb === 'details' ? found : undefined;
}

const alsoNouns = wordSet('read open cat count describe measure');

/** "Show me the size of": what is to be shown says it better. */
function sharper(sentence: Sentence, first: VerbFound): VerbFound {
  if (first.verb !== 'list' && first.verb !== 'find') return first;
  const cursor = sentence.cursor(first.next);
  cursor.skip('me', 'the', 'all the', 'some', 'please', 'a', 'out');
  const second = verbAt(cursor);
  if (second === undefined || alsoNouns.has(second.said)) return first;
  // "Let me see a list of" is the same once more.
  const isListed = second.said === 'list' && sentence.word(second.next) === 'of';
  if (isListed) return { ...first, next: second.next + 1 };
  const isSharper =
    ['details', 'read', 'usage', 'count'].includes(second.verb) ||
    ['what is in', 'what is inside'].includes(second.said);
  return isSharper ? { ...second, at: first.at } : first;
}

/** Where what is asked for begins. */
export function afterPoliteness(sentence: Sentence): number {
  const cursor = sentence.cursor(0);
  while (!sentence.isFree(cursor.at) && cursor.at < sentence.tokens.length) cursor.at++;
  cursor.skip(polite);
  return cursor.at;
}

const strong = wordSet('delete move copy rename find list usage count');
const leads = wordSet('be please to get is you');

// "In Downloads, delete …" and "everything … should be deleted" have it further back.
function laterVerb(sentence: Sentence): VerbFound | undefined {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const canBegin = sentence.isEnd(at - 1) || leads.has(sentence.word(at - 1));
    const found = canBegin ? verbAt(sentence.cursor(at)) : undefined;
    if (found === undefined || !strong.has(found.verb)) continue;
    if (isChange(found.verb) && isQuestion(sentence)) return undefined;
    sentence.use(at, found.next);
    return found;
  }
  return undefined;
}

const done = wordSet('moved renamed copied deleted removed trashed erased');
const directions = wordSet('to into onto over as by');
const endings = wordSet('please from permanently thanks now asap');
const tellers = wordSet('i we you were was been that');

/** `I want all zips deleted`, `I would like a.txt renamed to b.txt`. */
function doneVerb(sentence: Sentence, start: number): VerbFound | undefined {
  const asking = sentence.tokens.slice(0, start).map(({ fold }) => fold);
  if (!asking.some((word) => ['want', 'like', 'need', 'have'].includes(word))) return undefined;
  for (let at = start + 1; at < sentence.tokens.length; at++) {
    const token = sentence.tokens[at];
    if (token?.kind !== 'word' || !done.has(token.fold)) continue;
    const found = verbAt(sentence.cursor(at));
    // "The files deleted yesterday" are gone already, and so are "those I moved to Work".
    const next = sentence.tokens[at + 1]?.fold ?? 'please';
    const isWanted = (found?.verb === 'delete' ? endings : directions).has(next);
    if (found === undefined || tellers.has(sentence.word(at - 1)) || !isWanted) continue;
    sentence.use(at, found.next);
    return found;
  }
  return undefined;
}

const questions = wordSet(
  'why who how did have has had is are was were when if should what which where whether',
);

/** "Why did you delete …" does not ask for it. */
function isQuestion(sentence: Sentence): boolean {
  return questions.has(sentence.word(0));
}

export function verbAt(cursor: Cursor): VerbFound | undefined {
  const { at } = cursor;
  const said = cursor.take(verbPhrases);
  if (said === undefined) return undefined;
  if (!describes(said, cursor)) {
    return { verb: must(verbOf.get(said), `the verb of "${said}"`), said, at, next: cursor.at };
  }
  cursor.at = at;
  return undefined;
}

/** `empty files in Downloads` are to be seen, and so are `duplicate photos`: no word is between. */
function describes(said: string, { sentence, at }: Cursor): boolean {
  if (said !== 'empty' && said !== 'duplicate') return false;
  const { fold: noun = '', text = '' } = sentence.tokens[at] ?? {};
  const isNoun = ['files', 'folders', 'directories', 'subfolders'].includes(noun);
  const isPlural = isNoun || (noun.endsWith('s') && kindAt(sentence.cursor(at)) !== undefined);
  const hasGoal = sentence.tokens
    .slice(at)
    .some(({ fold }) => ['to', 'into', 'onto', 'as'].includes(fold));
  // "Empty Downloads" is a folder, whatever else it may be.
  return isPlural && !/^\p{Lu}/u.test(text) && !(said === 'duplicate' && hasGoal);
}

/** A second thing to do: behind `and`, `then` or a full stop. */
export function secondVerb(sentence: Sentence, after: number): VerbFound | undefined {
  for (let at = after; at < sentence.tokens.length; at++) {
    const word = sentence.word(at);
    const isJoint = sentence.isFree(at) && ['and', 'then', 'or', 'but'].includes(word);
    if (!isJoint && sentence.tokens[at]?.isEnd !== true) continue;
    const cursor = sentence.cursor(at + 1);
    cursor.skip('then', 'also', 'please', 'finally', 'afterwards', 'after that', 'and');
    const found = verbAt(cursor);
    if (found !== undefined && !weak.has(found.said)) return found;
  }
  return undefined;
}

/** Also nouns, or part of what is asked for. */
const weak = phrases(`
bin, trash, number, empty, backup, duplicate, which, what, start, clear, see, get, removed, deleted
moved, copied, renamed, what is, drop, view, sort, arrange, order, check, new file, new note
what time, owner of, look at, who (made|wrote|created), (which|what) camera, how (big|large)
(are|is) there, print, dump, did i, size of, cat`);
