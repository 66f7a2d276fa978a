/** Verbs that lead to nothing: negated ones, `archive`, misspelt ones, and those that say too little. */
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import { Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';
import { distance } from '../../kernel/language/spelling.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { quote } from '../../kernel/text/quote.ts';
import { knownPath } from './folders.ts';
import { kindAt } from './kinds.ts';
import { hasOrder } from './order.ts';
import { afterPoliteness, isChange, isSorting, verbAt } from './verbs.ts';
import { isFiller } from './words.ts';

const negations = phrases('not, never, avoid, stop, without, no, refrain from');
const between = phrases(`
ever, actually, want, you, me, to, be, get, have, need, going, dare, please, just, even, let, anyone
anything, try, it, think, should, we, i`);
const gerunds = wordSet('deleting removing moving copying renaming overwriting touching');
const nouns = wordSet('duplicate empty number backup trash');

/** U4: what is not to be done. */
export function negatedVerb(sentence: Sentence): string | undefined {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const word = cursor.take(negations);
    if (word === undefined) continue;
    cursor.skip(between);
    const { word: next = '' } = cursor;
    const found = verbAt(cursor);
    // "I cannot find it" asks for it.
    if (found?.verb === 'find' && sentence.tokens[at - 1]?.fold === 'can') continue;
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
export function takeReassurance(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const isEnd = at === 0 || sentence.tokens[at - 1]?.isEnd === true;
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
    const isOver = cursor.token === undefined || sentence.tokens[cursor.at - 1]?.isEnd === true;
    if (isOver && isLooking(sentence, at === 0 ? cursor.at : 0)) sentence.use(at, cursor.at);
  }
}

/** Nothing but looking is asked for from here on. */
function isLooking(sentence: Sentence, from: number): boolean {
  const cursor = sentence.cursor(from);
  cursor.skip('just', 'only', 'simply', 'but', 'please', 'can you', 'could you', 'i want to');
  const found = verbAt(cursor);
  return found !== undefined && !isChange(found.verb);
}

/** "Archive" as a verb may be a folder or a zip file. */
export function archiveVerb(
  sentence: Sentence,
  start: number,
  world: SentenceWorld,
): Understanding | undefined {
  if (sentence.cursor(start).take('archive') === undefined) return undefined;
  const folder = knownPath('Archive', world);
  const common = { reading: 'Archive files', confidence: 0.4, unused: ['archive'] };
  if (folder === undefined) {
    const message = 'Making archives is work of the archive_agent; I can move files to a folder';
    return { kind: 'refused', ...common, agent: 'archive_agent', message };
  }
  return {
    kind: 'asks-back',
    ...common,
    request: { action: 'move_file', destination: folder },
    question: `Shall the files go to the folder ${quote(folder)}? Then say "move … to Archive". Compressing them is work of the archive_agent.`,
  };
}

const whatShall = 'What shall I do? For example: find PDFs from last week.';
const which =
  'What shall happen to which files? For example: move PDFs in Downloads older than 30 days to Archive.';

/** At the head of a sentence, and the question that comes back. */
const vague = [
  [
    phrases('what can you do, help, who are you, what are you'),
    'I list, find, read, write, move, copy, rename and delete files. For example: find PDFs from last week.',
  ],
  [
    phrases(`
organise, organize, tidy [up], clean [up|my|the], sort [out], declutter, group, swap, exchange, flatten
file (the|my|all|these|those|away), put away, free up, make (room|space), consolidate, deduplicate
dedupe, arrange, categorise, categorize, fix, improve, manage, handle, deal with`),
    which,
  ],
  [
    phrases('how (do|can|would) i, how to, (tell|show) me how to'),
    'Just say what is to be done. For example: move PDFs in Downloads older than 30 days to Archive.',
  ],
  [
    phrases('what is the (average|mean|median), average [size]'),
    'I tell how much they take together, and how large each of them is. Say: how big are …',
  ],
  [
    phrases('undo, restore, undelete, recover, bring back, revert'),
    'What has been done is undone with `aos files undo` and the number of its plan.',
  ],
  [
    phrases(
      'overwrite, replace, append, edit, add a line, change the text, insert, modify, update',
    ),
    'I can write a whole file, and not change a part of one. Say: write "…" to name.txt.',
  ],
  [
    phrases('empty (the|my) (trash|bin|recycle bin), empty trash'),
    'The trash is emptied elsewhere; I delete files in folders. Which ones?',
  ],
  [
    phrases('(make|create) a [new] (folder|directory), mkdir, new folder'),
    'A folder is made when something goes into it. Say: move … to a folder called "…".',
  ],
  [
    phrases(`
(i|we) do not (want|need), (i|we) no longer (want|need), i have no use for, i am (done|finished) with`),
    'Shall something be deleted? Then say so: delete the zip files in Downloads.',
  ],
] as const;

/** What is asked of a sentence whose verb says too little; undefined where it says enough. */
export function unclearVerb(sentence: Sentence, start: number): string | undefined {
  return (
    vagueVerb(sentence, start) ??
    partOfFile(sentence) ??
    answerAlone(sentence) ??
    misspeltChange(sentence) ??
    unknownVerb(sentence, start)
  );
}

function vagueVerb(sentence: Sentence, start: number): string | undefined {
  const found = verbAt(sentence.cursor(start));
  if (found?.verb === 'rename') return undefined;
  // "Get everything off my desktop".
  const words = sentence.tokens.slice(start).map(({ fold }) => fold);
  if (words[0] === 'get' && words.includes('off')) return vague.at(-1)?.[1];
  const question = vague.find(([head]) => sentence.cursor(start).take(head) !== undefined)?.[1];
  const isKnown = question === which && found !== undefined;
  // Shown in an order, and put nowhere; "clean out" deletes.
  const isOurs = isKnown && (isSorting(found) ? hasOrder(sentence) : found.said === 'clean out');
  return isOurs ? undefined : question;
}

const objects = wordSet('my the all this these those every each');

/** `fax the contract`: a verb that nobody knows, and what it is to be done to. */
function unknownVerb(sentence: Sentence, start: number): string | undefined {
  const [first, second] = sentence.tokens.slice(start);
  const isObject = objects.has(second?.fold ?? '') || second?.kind === 'name';
  const isWord = first?.kind === 'word' && !first.isEnd && /^[a-z]{3,}(?<!s)$/.test(first.fold);
  if (!isWord || !isObject || isFiller(first.fold)) return undefined;
  const cursor = sentence.cursor(start);
  if (verbAt(cursor) !== undefined || kindAt(cursor) !== undefined) return undefined;
  return `I do not know how to ${quote(first.text)}. I list, find, read, write, move, copy, rename and delete files.`;
}

const answers = wordSet('yes no ok okay yep nope sure stop cancel abort quit exit do go');

/** `yes`, `do it`: there was no question. */
function answerAlone({ tokens }: Sentence): string | undefined {
  const [first = '', second] = tokens.map(({ fold }) => fold);
  const isShort = tokens.length === 1 || (tokens.length === 2 && second === 'it');
  return isShort && answers.has(first) ? whatShall : undefined;
}

const portions = [
  / (?:first|last) (?:\S+ )?(?:byte|line|character|word|page|paragraph)s? (?:of|in) /,
  / (?:byte|line|character|word|page|paragraph)s? \d+ of /,
];

/** `the first 100 lines of notes.txt`: a part of a file. */
function partOfFile({ tokens }: Sentence): string | undefined {
  const isCommand = ['head', 'tail'].includes(tokens[0]?.fold ?? '') && tokens.length <= 4;
  const isNamed = tokens.some(({ kind }) => kind === 'name' || kind === 'path');
  const words = ` ${tokens.map(({ fold }) => fold).join(' ')} `;
  const isPart = portions.some((portion) => portion.test(words));
  return isPart || (isCommand && isNamed)
    ? 'I read whole files. Say for example: read notes.txt in Documents.'
    : undefined;
}

const looking = ['show', 'find', 'list', 'search', 'display', 'locate', 'count', 'where', 'which'];
const changing = ['delete', 'remove', 'move', 'copy', 'rename', 'erase', 'trash', 'transfer'];
/** What a verb is followed by, and hardly any other word. */
const following = wordSet('me my the all every any for in files everything this these');

/** `shwo me my photos`: a verb at the head with a letter wrong is mended where it only looks. */
export function withVerbMended(tokens: readonly Token[]): readonly Token[] {
  const at = unknownHead(tokens);
  const verb = at === undefined ? undefined : meant(tokens[at], looking);
  if (at === undefined || verb === undefined) return tokens;
  return tokens.map((token, place) => (place === at ? { ...token, fold: verb } : token));
}

/** What changes files is asked for once more. */
function misspeltChange({ tokens }: Sentence): string | undefined {
  const at = unknownHead(tokens);
  const verb = at === undefined ? undefined : meant(tokens[at], changing);
  return verb === undefined ? undefined : `Do you mean ${quote(verb)}? Please say it once more.`;
}

function unknownHead(tokens: readonly Token[]): number | undefined {
  const sentence = new Sentence(tokens);
  const at = afterPoliteness(sentence);
  const next = tokens[at + 1];
  const isObject =
    following.has(next?.fold ?? '') ||
    (next !== undefined && next.kind !== 'word') ||
    kindAt(sentence.cursor(at + 1)) !== undefined;
  const isKnown = [verbAt, kindAt].some((rule) => rule(sentence.cursor(at)) !== undefined);
  return isObject && !isKnown && tokens[at]?.kind === 'word' ? at : undefined;
}

function meant(token: Token | undefined, verbs: readonly string[]): string | undefined {
  const word = token?.fold ?? '';
  // "Mode" and "cope" are words.
  const isLong = word.length >= 4;
  return isLong ? verbs.find((verb) => verb !== word && distance(verb, word) === 1) : undefined;
}
