/** What is to be done: the verb of a sentence, behind whatever politeness stands before it. */
import type { FileAction } from '../../kernel/files/request.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { phrases, phraseTable, wordSet } from '../../kernel/language/phrases.ts';
import { must } from '../../kernel/must.ts';
import { kindAt } from './kinds.ts';

/** What is asked for. `find` and `list` both look; the rest of the sentence says by which action. */
type Verb = (typeof verbs)[number];

const verbs = [
  ...(['list', 'find', 'write', 'move', 'copy', 'rename', 'delete'] as const),
  ...(['read', 'count', 'usage', 'details'] as const),
] as const;

const table = phraseTable(`
delete:
  get (rid|shot) of, (throw|chuck|toss) (away|out), dispose of, do away with, eliminate
  (kill [off]|scrap|zap) (all|the|every|any|those|these|my|everything), (clear|clean) out
  delete, deleting, deleted, remove, removing, removed, trash, trashing, trashed, erase, erasing
  erased, bin, discard, wipe, destroy, purge, clear, nuke, shred, dump, ditch, toss, empty, rm
rename:
  change the (name|names) of, rename, renaming, renamed, re-name, call, retitle, number, prefix
  add [the|a] (prefix|suffix), replace [the|all] spaces, (change|make) [all] [the] (file names|filenames)
  change all names, make (all [the]|the) names, change, add, lowercase, uppercase, give
copy:
  make [me] a copy of, make copies of, (save|keep|create|take|store|put|place) a copy of, a copy of
  copies of, (create|take|save|make) a backup of, make duplicates of, (make|create) a duplicate of
  back up, backup, copying, copied, copy, duplicate, clone, cp
move:
  move, moving, moved, put, shift, transfer, relocate, drag, stick, drop, stash, tuck, take, throw
  send, chuck, place, shove, bring, carry, migrate, mv
write:
  write [down], create, make, save, jot down, note down, start, [a] new [text] file, [a] new note
  a blank file
usage:
  how much [free] (disk space|storage|space|room|storage space), how much (disk is|memory|do|does), du
  how much of [my disk|my drive|my storage]
  where (has|did) all my (space|disk space|storage|room) (gone|go)
  where (is|does all) my (space|disk space|storage|room) (going|go), where is all my space
  how is my (disk space|storage), is [there] a lot of space used by
  what (portion|share|percentage|part) of, how many (gigabytes|megabytes|kilobytes|terabytes|bytes)
  how many (gb|gbs|mb|mbs|gigs|megs), how (big|large|heavy|full) [is], [what is the] [total] size of
  what is the combined size of, sizes of the folders in, [what are the] sizes of
  (disk|storage) usage, space used by, measure, what size (is|are)
  what is (using|taking|clogging|eating) [up], what (takes up|uses), what is (hogging|wasting|filling up)
  (which|what) (file types|types of files|kinds of files|kind of files|type of files) (take|use|eat)
find:
  (bring|pull|dig|look) up, (pull|dig) out, point me to, search [in|through|for]
  look (for|in|inside|through), go through, grep [for], check (whether|if) [there is|there are]
  check [for], hunt (for|down), track down, find [me|out], locate, where (is|are)
  where (did i|have i) (put|save|saved|store), where can i find, where do i (keep|have), what about
  which, is there, are there, do i have, have i got, did i, get [me], fetch, looking for
  i am (looking for|trying to find|searching for|after), i can not find, i seem to have lost
  i [have] (lost|misplaced)
count: how many, count, number of
details:
  [the] size and (date|type|age|dates|modification date) of, (date|type) and size of
  when (was|were|did i), when, what (kind|type|sort) of file [is], what file type is, what type is
  what is the file type of, exif (data|info) (of|for|from|in), exif of, metadata in
  tell me (more|everything) about, what can you tell me about, what do you know about, tell me about
  [what is the|what are the] (resolution|dimensions|permissions|format|file format|file type) of
  what is the date (on|of), what [file] format is, what resolution (is|does), how many pixels [does]
  [file] (info|information|details|metadata|properties|stats) (of|for|about|on), describe
  how old [is|are], how long (is|are|ago), how recently, who (owns|made|wrote|created)
  [what is the] (creation|modification) date of, (which|what) camera, [who is the] owner of, what time
read:
  [the] (contents|content) of, [the] text (of|in), what (did i write|have i written|is written) in
  what does, read [me|out], open [up], cat, print out the contents of
list:
  (give me|show me|make) a list of, a list of, list, show [me], display, what is [in|inside|on]
  what are, what do i have, what (have|did) i, what, give me, gimme, (have|take) a look at, look at
  sort, arrange, order, calculate, compute, determine, (work|figure) out, tell me, let me see, see
  view, browse, ls, print
`);

const verbOf = new Map(
  table.flatMap(([name, { all }]) => {
    const verb = must(
      verbs.find((each) => each === name),
      `the verb ${name}`,
    );
    return all.map((phrase) => [phrase, verb] as const);
  }),
);
const verbPhrases = phrases([...verbOf.keys()].join(','));

/** Before what is asked for, and no part of it. */
const polite = phrases(`
i would (like|love) to (know|see), i would appreciate [it if you [could]], i would be happy to
i am (interested in|curious|wondering), i was wondering [if you could], i (wish|want|need) to
i want to (see|know), (can|could|may) i [have|get], let (me|us), i would (like|love) [to|you to]
i (want|need) [you to], any idea, any chance you could, would you be able to, are you able to
is it possible to, would it be possible to, could you possibly, when you (have a moment|get a chance)
if you do not mind, if possible, if you can, for me, good (morning|evening), mate, dear, alright, right
well, um, quick question, do you (know|mind), to know, pls, plz, (can|could|would) (u|you), will you
can we, hey [there], yo, do me a (favour|favor) and, need [a], please, kindly, hi, hello, ok, okay
now, just, quickly, then, help me [to], go ahead, go and, be so kind as to, would you mind, try to
and, so, also, i wonder, let me know, i should, you (should|can), agent, computer, file agent, thanks
thank you, to, quick, i would be grateful if you could, feel free to`);

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
  // "Deleted files" are gone already: a request is not put in that form.
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

// The words for each thing to do, as data: the longest that fits is meant.
