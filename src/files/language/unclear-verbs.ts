/** Verbs that lead to nothing: negated ones, `archive`, and those that say too little. */
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import type { Sentence } from '../../kernel/language/cursor.ts';
import { quote } from '../../kernel/text/quote.ts';
import { knownPath } from './folders.ts';
import { hasOrder } from './order.ts';
import { isFiller } from './stop-words.ts';
import { typeAt } from './type-words.ts';
import { isChange, isSorting, verbAt } from './verbs.ts';

const between = [
  ...['ever', 'actually', 'want', 'you', 'me', 'to', 'be', 'get', 'have', 'need', 'going', 'dare'],
  ...[
    'please',
    'just',
    'even',
    'let',
    'anyone',
    'anything',
    'try',
    'it',
    'think',
    'should',
    'we',
    'i',
  ],
];

/** U4: what is not to be done. */
export function negatedVerb(sentence: Sentence): string | undefined {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const word = cursor.take('not', 'never', 'avoid', 'stop', 'without', 'no', 'refrain from');
    if (word === undefined) continue;
    cursor.skip(...between);
    const verb = verbAt(cursor) ?? gerundAt(cursor.word);
    const isAction = verb !== undefined && (typeof verb === 'string' || isChange(verb.deed));
    // "I cannot find it" asks for it.
    const isLost = sentence.tokens[at - 1]?.fold === 'can' && verb !== undefined;
    const isMissed = isLost && typeof verb === 'object' && verb.deed === 'find';
    if (isMissed) continue;
    const isHead = at <= 2 && verb !== undefined && (word === 'not' || word === 'never');
    const isNoun =
      typeof verb === 'object' &&
      ['duplicate', 'empty', 'number', 'backup', 'trash'].includes(verb.said);
    if ((isAction || isHead) && !isNoun) return typeof verb === 'string' ? verb : verb?.said;
  }
  return undefined;
}

const pronouns = [
  ...['anything', 'them', 'it', 'any', 'of', 'those', 'these', 'yet', 'files', 'or', 'everything'],
  ...['actually', 'for now', 'at all'],
];

/**
 * `Don't delete anything, just show me …`, `list … but do not delete them yet`: what is not to be
 * done to what is only looked at. Such a clause is taken out.
 */
export function takeReassurance(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const before = sentence.tokens[at - 1];
    const cursor = sentence.cursor(at);
    const begins = at === 0 || before?.isEnd === true || ['but', 'and'].includes(cursor.word ?? '');
    if (!begins) continue;
    cursor.skip('but', 'and', 'please', 'i', 'you', 'just', 'so');
    if (cursor.take('do not', 'never', 'without') === undefined) continue;
    cursor.skip(...between);
    const verb = verbAt(cursor) ?? gerundAt(cursor.word);
    if (verb === undefined) continue;
    if (typeof verb === 'string') cursor.at++;
    else if (!isChange(verb.deed)) continue;
    cursor.skip(...pronouns);
    const isOver = cursor.token === undefined || sentence.tokens[cursor.at - 1]?.isEnd === true;
    const rest = at === 0 ? cursor.at : 0;
    if (isOver && isLooking(sentence, rest)) sentence.use(at, cursor.at);
  }
}

/** Nothing but looking is asked for from here on. */
function isLooking(sentence: Sentence, from: number): boolean {
  const cursor = sentence.cursor(from);
  cursor.skip('just', 'only', 'simply', 'but', 'please', 'can you', 'could you', 'i want to');
  const verb = verbAt(cursor);
  return verb !== undefined && !isChange(verb.deed);
}

function gerundAt(word: string | undefined): string | undefined {
  const known = [
    'deleting',
    'removing',
    'moving',
    'copying',
    'renaming',
    'overwriting',
    'touching',
  ];
  return known.find((each) => each === word);
}

/** "Archive" as a verb may be a folder or a zip file. */
export function archiveVerb(
  sentence: Sentence,
  start: number,
  world: SentenceWorld,
): Understanding | undefined {
  if (sentence.cursor(start).take('archive') === undefined) return undefined;
  const folder = knownPath('Archive', world);
  const reading = 'Archive files';
  const common = { reading, confidence: 0.4, unused: ['archive'] };
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

const vagueVerbs: readonly (readonly [readonly string[], string])[] = [
  [
    ['what can you do', 'help', 'who are you', 'what are you'],
    'I list, find, read, write, move, copy, rename and delete files. For example: find PDFs from last week.',
  ],
  [
    [
      ...['organise', 'organize', 'tidy up', 'tidy', 'clean up', 'sort out', 'declutter', 'group'],
      ...['file the', 'file my', 'file all', 'file these', 'file those'],
      ...['file away', 'put away', 'free up', 'make room', 'make space', 'clean my', 'clean the'],
      ...['swap', 'exchange', 'flatten', 'consolidate', 'deduplicate', 'dedupe'],
      ...[
        'arrange',
        'sort',
        'categorise',
        'categorize',
        'fix',
        'improve',
        'manage',
        'handle',
        'deal with',
      ],
    ],
    'What shall happen to which files? For example: move PDFs in Downloads older than 30 days to Archive.',
  ],
  [
    ['how do i', 'how can i', 'how to', 'how would i', 'tell me how to', 'show me how to'],
    'Just say what is to be done. For example: move PDFs in Downloads older than 30 days to Archive.',
  ],
  [
    ['what is the average', 'what is the mean', 'what is the median', 'average size', 'average'],
    'I tell how much they take together, and how large each of them is. Say: how big are …',
  ],
  [
    ['undo', 'restore', 'undelete', 'recover', 'bring back', 'revert'],
    'What has been done is undone with `aos files undo` and the number of its plan.',
  ],
  [
    [
      'overwrite',
      'replace',
      'append',
      'edit',
      'add a line',
      'change the text',
      'insert',
      'replace the word',
      'modify',
      'update',
    ],
    'I can write a whole file, and not change a part of one. Say: write "…" to name.txt.',
  ],
  [
    ['empty the trash', 'empty my trash', 'empty the bin', 'empty the recycle bin', 'empty trash'],
    'The trash is emptied elsewhere; I delete files in folders. Which ones?',
  ],
  [
    [
      ...['make a folder', 'create a folder', 'make a new folder', 'create a new folder', 'mkdir'],
      ...['create a directory', 'make a directory', 'create a new directory', 'new folder'],
    ],
    'A folder is made when something goes into it. Say: move … to a folder called "…".',
  ],
];

const objects = new Set('my the all this these those every each'.split(' '));

/** `fax the contract`: a verb that nobody knows, and what it is to be done to. */
export function unknownVerb(sentence: Sentence, start: number): string | undefined {
  const [first, second] = sentence.tokens.slice(start);
  const isObject = objects.has(second?.fold ?? '') || second?.kind === 'name';
  const isWord = first?.kind === 'word' && !first.isEnd && /^[a-z]{3,}(?<!s)$/.test(first.fold);
  if (!isWord || !isObject || isFiller(first.fold)) return undefined;
  const cursor = sentence.cursor(start);
  if (verbAt(cursor) !== undefined || typeAt(cursor) !== undefined) return undefined;
  return `I do not know how to ${quote(first.text)}. I list, find, read, write, move, copy, rename and delete files.`;
}

const unwantedCues = [
  ...['i do not want', 'i do not need', 'i no longer want', 'i no longer need', 'we do not need'],
  ...['i have no use for', 'we no longer need', 'i am done with', 'i am finished with'],
];

/** `I don't need old.txt any more`: perhaps it is to go. */
export function unwanted(sentence: Sentence, start: number): string | undefined {
  const said = sentence.cursor(start).take(...unwantedCues);
  const [head, ...rest] = sentence.tokens.slice(start).map(({ fold }) => fold);
  // "Get everything off my desktop".
  const isGot = head === 'get' && rest.includes('off');
  return said === undefined && !isGot
    ? undefined
    : 'Shall something be deleted? Then say so: delete the zip files in Downloads.';
}

const answers = new Set(
  'yes no ok okay yep nope sure stop cancel abort quit exit do go'.split(' '),
);

/** `yes`, `do it`: there was no question. */
export function answerAlone({ tokens }: Sentence): string | undefined {
  const [first, second] = tokens.map(({ fold }) => fold);
  const isShort = tokens.length === 1 || (tokens.length === 2 && second === 'it');
  if (!isShort || !answers.has(first ?? '')) return undefined;
  return 'What shall I do? For example: find PDFs from last week.';
}

const portions = /^(?:bytes?|lines?|characters?|words?|pages?|paragraphs?)$/;

/** `the first 100 lines of notes.txt`: a part of a file. */
export function partOfFile({ tokens }: Sentence): string | undefined {
  const isCommand = ['head', 'tail'].includes(tokens[0]?.fold ?? '') && tokens.length <= 4;
  const isNamed = tokens.some(({ kind }) => kind === 'name' || kind === 'path');
  const isPart = tokens.some(({ fold }, at) => {
    const isNumbered = /^\d+$/.test(tokens[at + 1]?.fold ?? '') && tokens[at + 2]?.fold === 'of';
    if (portions.test(fold) && isNumbered) return true;
    const led = [tokens[at - 2]?.fold ?? '', tokens[at - 1]?.fold ?? ''];
    const isLed = led.some((word) => word === 'first' || word === 'last');
    const isOfFile = tokens[at + 1]?.fold === 'of' || tokens[at + 1]?.fold === 'in';
    return portions.test(fold) && isLed && isOfFile;
  });
  return isPart || (isCommand && isNamed)
    ? 'I read whole files. Say for example: read notes.txt in Documents.'
    : undefined;
}

export function vagueVerb(sentence: Sentence, start: number): string | undefined {
  const verb = verbAt(sentence.cursor(start));
  if (verb?.deed === 'rename') return undefined;
  // Shown in an order, and put nowhere.
  if (isSorting(verb) && hasOrder(sentence)) return undefined;
  const isCleaned = verb === undefined && sentence.cursor(start).take('clean') !== undefined;
  if (isCleaned) return vagueVerbs.find(([verbs]) => verbs.includes('clean up'))?.[1];
  const found = vagueVerbs.find(([verbs]) => sentence.cursor(start).take(...verbs) !== undefined);
  return found?.[1];
}
