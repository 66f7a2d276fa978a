/** What is to be done: the verb of a sentence, behind whatever politeness stands before it. */
import type { FileAction } from '../../kernel/files/request.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import type { Deed } from './deed.ts';
import { typeAt } from './type-words.ts';
import { verbs } from './verb-words.ts';

/** Whether something is changed by it. */
export function isChange(deed: Deed): boolean {
  return ['move', 'rename', 'copy', 'delete', 'write'].includes(deed);
}

/** The folder stays, what is in it goes. */
export function isClearing({ said }: Pick<VerbFound, 'said'>): boolean {
  return ['empty', 'clear', 'clear out', 'clean out', 'wipe'].includes(said);
}

/** Shows them in an order. */
export function isSorting(verb: Pick<VerbFound, 'said'> | undefined): boolean {
  return ['sort', 'arrange', 'order'].includes(verb?.said ?? '');
}

export const actionOf: Readonly<Record<Deed, FileAction>> = {
  list: 'list_files',
  find: 'list_files',
  count: 'list_files',
  move: 'move_file',
  rename: 'rename_file',
  copy: 'copy_file',
  delete: 'delete_file',
  read: 'read_file',
  write: 'write_file',
  usage: 'get_disk_usage',
  details: 'get_metadata',
};

/** The longer come first: "would you mind" is not "would you". */
const polite = [
  ...[
    'i would like to know',
    'i would love to know',
    'i would appreciate it if you could',
    'i would appreciate',
    'i would be happy to',
    'i am interested in',
    'i wish to',
    'i want to see',
    'can i have',
    'can i get',
    'could i have',
    'could i get',
    'may i have',
    'let me',
    'i would love to see',
    'i would love to',
    'i would love',
    'i am curious',
    'any idea',
    'any chance you could',
    'would you be able to',
    'are you able to',
    'is it possible to',
    'i am wondering',
    'i was wondering',
    'could you possibly',
    'when you have a moment',
    'when you get a chance',
    'if you do not mind',
    'if possible',
    'for me',
    'good morning',
    'good evening',
    'mate',
    'dear',
    'alright',
    'right',
    'well',
    'um',
    'quick question',
    'i want to know',
    'do you know',
    'to know',
    'pls',
    'plz',
    'can u',
    'could u',
    'would u',
    'hey there',
    'yo',
    'do me a favour and',
    'do me a favor and',
    'need a',
    'need',
    'i was wondering if you could',
    'would it be possible to',
  ],
  ...['please', 'kindly', 'hey', 'hi', 'hello', 'ok', 'okay', 'now', 'just', 'quickly', 'then'],
  ...['can you', 'could you', 'would you', 'will you', 'can i', 'could i', 'may i', 'can we'],
  ...['i want you to', 'i want to', 'i need you to', 'i need to', 'i would like you to', 'i want'],
  ...['i would like to', 'i would like', 'i need', 'help me to', 'help me', 'let us', 'go ahead'],
  ...['go and', 'be so kind as to', 'would you mind', 'do you mind', 'try to', 'and', 'so', 'also'],
  ...['i wonder', 'do you know', 'let me know', 'i should', 'you should', 'you can', 'agent'],
  ...['computer', 'file agent', 'thanks', 'thank you', 'if you can', 'to', 'quick'],
  ...['i would be grateful if you could', 'i would appreciate it if you', 'feel free to'],
].toSorted((a, b) => b.length - a.length);

export interface VerbFound {
  readonly deed: Deed;
  /** The word or words of it. */
  readonly said: string;
  readonly at: number;
  readonly next: number;
}

/** At the head of the sentence, or else the first that can be one. */
export function takeVerb(sentence: Sentence): VerbFound | undefined {
  const start = afterPoliteness(sentence);
  const first = verbAt(sentence.cursor(start)) ?? askedFor(sentence, start);
  // "Deleted files" are gone already: nobody asks for it in that form.
  const isTold = ['i', 'we', 'you'].includes(sentence.tokens[start - 1]?.fold ?? '');
  const isDone = first !== undefined && done.has(first.said) && !isTold;
  const head = first === undefined || isDone ? undefined : sharper(sentence, first);
  sentence.use(0, start);
  if (head === undefined) return wishedVerb(sentence, start) ?? laterVerb(sentence);
  if (!describing.has(head.said)) sentence.use(start, head.next);
  // "Delete only the PDFs" are those.
  const only = sentence.cursor(head.next);
  const isOnly = isChange(head.deed) && only.take('only', 'just') !== undefined;
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
  return found !== undefined && ['usage', 'details'].includes(found.deed) ? found : undefined;
}

/** "Show me the size of": what is to be shown says it better. */
function sharper(sentence: Sentence, first: VerbFound): VerbFound {
  if (first.deed !== 'list' && first.deed !== 'find') return first;
  const cursor = sentence.cursor(first.next);
  cursor.skip('me', 'the', 'all the', 'some', 'please', 'a', 'out');
  const second = verbAt(cursor);
  const isNoun = ['read', 'open', 'cat', 'count', 'describe', 'measure'].includes(
    second?.said ?? '',
  );
  if (second === undefined || isNoun) return first;
  // "Let me see a list of" is the same once more.
  const isListed = second.said === 'list' && sentence.tokens[second.next]?.fold === 'of';
  if (isListed) return { ...first, next: second.next + 1 };
  if (second.said === 'what is in' || second.said === 'what is inside') {
    return { ...second, at: first.at };
  }
  if (!['details', 'read', 'usage', 'count'].includes(second.deed)) return first;
  return { ...second, at: first.at };
}

/** They are also how the new name is described, and are read for that once more. */
const describing = new Set([
  ...['add', 'number', 'prefix', 'add the prefix', 'add a prefix', 'add prefix', 'add the suffix'],
  ...['add a suffix', 'add suffix', 'replace spaces', 'replace the spaces', 'replace all spaces'],
  ...['lowercase', 'uppercase'],
]);

/** Where what is asked for begins. */
export function afterPoliteness(sentence: Sentence): number {
  const cursor = sentence.cursor(0);
  while (!sentence.isFree(cursor.at) && cursor.at < sentence.tokens.length) cursor.at++;
  cursor.skip(...polite);
  return cursor.at;
}

const strong: readonly Deed[] = [
  'delete',
  'move',
  'copy',
  'rename',
  'find',
  'list',
  'usage',
  'count',
];

// "In Downloads, delete …" and "everything … should be deleted" have it further back.
function laterVerb(sentence: Sentence): VerbFound | undefined {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const before = sentence.tokens[at - 1];
    const canBegin =
      before?.isEnd === true ||
      ['be', 'please', 'to', 'get', 'is', 'you'].includes(before?.fold ?? '');
    const found = canBegin ? verbAt(sentence.cursor(at)) : undefined;
    if (found === undefined || !strong.includes(found.deed)) continue;
    if (isChange(found.deed) && isQuestion(sentence)) return undefined;
    sentence.use(at, found.next);
    return found;
  }
  return undefined;
}

const done: ReadonlySet<string> = new Set(
  'moved renamed copied deleted removed trashed erased'.split(' '),
);

/** `I want all zips deleted`, `I would like a.txt renamed to b.txt`. */
function wishedVerb(sentence: Sentence, start: number): VerbFound | undefined {
  const polite = sentence.tokens.slice(0, start).map(({ fold }) => fold);
  if (!polite.some((word) => ['want', 'like', 'need', 'have'].includes(word))) return undefined;
  for (let at = start + 1; at < sentence.tokens.length; at++) {
    const token = sentence.tokens[at];
    if (token?.kind !== 'word' || !done.has(token.fold)) continue;
    const found = verbAt(sentence.cursor(at));
    // "The files deleted yesterday" are gone already, and so are "those I moved to Work".
    const before = sentence.tokens[at - 1]?.fold ?? '';
    const next = sentence.tokens[at + 1]?.fold ?? 'please';
    const isTold = ['i', 'we', 'you', 'were', 'was', 'been', 'that'].includes(before);
    const isWished = found?.deed === 'delete' ? endings.has(next) : directions.has(next);
    if (found === undefined || isTold || !isWished) continue;
    sentence.use(at, found.next);
    return found;
  }
  return undefined;
}

const directions = new Set(['to', 'into', 'onto', 'over', 'as', 'by']);
const endings = new Set(['please', 'from', 'permanently', 'thanks', 'now', 'asap']);

/** "Why did you delete …" does not ask for it. */
function isQuestion({ tokens }: Sentence): boolean {
  return questions.has(tokens[0]?.fold ?? '');
}

const questions = new Set(
  'why who how did have has had is are was were when if should what which where whether'.split(' '),
);

export function verbAt(cursor: Cursor): VerbFound | undefined {
  const at = cursor.at;
  for (const [deed, phrases] of verbs) {
    const said = cursor.take(...phrases);
    if (said !== undefined && !describes(said, cursor)) return { deed, said, at, next: cursor.at };
    cursor.at = at;
  }
  return undefined;
}

const goals = new Set(['to', 'into', 'onto', 'as']);

/** `empty files in Downloads` are to be seen, and so are `duplicate photos`: no word is between. */
function describes(said: string, { sentence, at }: Cursor): boolean {
  if (said !== 'empty' && said !== 'duplicate') return false;
  const noun = sentence.tokens[at]?.fold ?? '';
  const isNoun = ['files', 'folders', 'directories', 'subfolders'].includes(noun);
  const isPlural = isNoun || (noun.endsWith('s') && typeAt(sentence.cursor(at)) !== undefined);
  const hasGoal = sentence.tokens.slice(at).some(({ fold }) => goals.has(fold));
  // "Empty Downloads" is a folder, whatever else it may be.
  const isName = /^\p{Lu}/u.test(sentence.tokens[at]?.text ?? '');
  return isPlural && !isName && !(said === 'duplicate' && hasGoal);
}

/** A second thing to do: behind `and`, `then` or a full stop. */
export function secondVerb(sentence: Sentence, after: number): VerbFound | undefined {
  for (let at = after; at < sentence.tokens.length; at++) {
    const word = sentence.tokens[at]?.fold;
    const isJoint = sentence.isFree(at) && ['and', 'then', 'or', 'but'].includes(word ?? '');
    const begins = isJoint || sentence.tokens[at]?.isEnd === true;
    if (!begins) continue;
    const cursor = sentence.cursor(at + 1);
    cursor.skip('then', 'also', 'please', 'finally', 'afterwards', 'after that', 'and');
    const found = verbAt(cursor);
    const isReal = found !== undefined && !weak.has(found.said);
    if (isReal) return found;
  }
  return undefined;
}

/** Also nouns, or part of what is asked for. */
const weak = new Set([
  ...['bin', 'trash', 'number', 'empty', 'backup', 'duplicate', 'which', 'what', 'start', 'clear'],
  ...['see', 'get', 'removed', 'deleted', 'moved', 'copied', 'renamed', 'what is', 'drop', 'view'],
  ...[
    'sort',
    'arrange',
    'order',
    'check',
    'new file',
    'new note',
    'what time',
    'owner of',
    'look at',
  ],
  ...['who made', 'who wrote', 'who created', 'which camera', 'what camera'],
  ...['how big', 'how large', 'are there', 'is there', 'print', 'dump', 'did i', 'size of', 'cat'],
]);
