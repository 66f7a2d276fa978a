/** How something is to be done: how deep, for good, or only to see what would happen. */
import type { FileOptions } from '../../kernel/files/request.ts';
import type { Sentence } from '../../kernel/language/cursor.ts';

const deepWords = [
  ...['recursively', 'including all subfolders', 'including subfolders', 'including sub-folders'],
  ...['including its subfolders', 'including all its subfolders', 'with all subfolders'],
  ...['and all its subfolders', 'and all subfolders', 'and its subfolders', 'and subfolders'],
  ...['and all of its subfolders', 'in all subfolders', 'with subfolders', 'with its subfolders'],
  ...['including what is in subfolders', 'including everything in subfolders'],
  ...['including files in subfolders', 'including the subfolders', 'including those in subfolders'],
  ...['including subdirectories', 'and subdirectories'],
  ...[
    'at any depth',
    'and below',
    'and everything below',
    'in subfolders too',
    'subfolders included',
  ],
  ...['and any subfolders', 'including any subfolders', 'and its subdirectories'],
];
const wholeWords = ['and', 'with', 'including', 'along with', 'together with'].flatMap((joint) =>
  [
    ...['everything in it', 'everything inside it', 'everything inside', 'everything below it'],
    ...['all its contents', 'all of its contents', 'its contents', 'all the contents'],
    ...['everything that is in it', 'all that is in it', 'everything within it'],
  ].map((what) => `${joint} ${what}`),
);
const flatWords = [
  ...['not in subfolders', 'not subfolders', 'without subfolders', 'excluding subfolders'],
  ...['but not subfolders', 'but not its subfolders', 'but not in subfolders', 'no subfolders'],
  ...['top level only', 'only the top level', 'at the top level', 'directly', 'not recursively'],
  ...['ignoring subfolders', 'and not its subfolders'],
];
const permanentWords = [
  'permanently',
  'for good',
  'forever',
  'for ever',
  'irreversibly',
  'completely',
];
const alsoHidden = [
  ...[
    'including hidden files',
    'including hidden ones',
    'including the hidden ones',
    'and hidden ones',
  ],
  ...['hidden files too', 'also hidden', 'also the hidden ones', 'even hidden ones'],
  ...['including hidden', 'and hidden files', 'with hidden files', 'as well as hidden files'],
];

/** Why, and how soon: that changes nothing. */
const purposes = [
  ...[
    'to free up some space',
    'to free up space',
    'to free space',
    'to save space',
    'to make room',
  ],
  ...[
    'to make space',
    'to make some room',
    'as soon as possible',
    'as a backup',
    'for safekeeping',
  ],
  ...['to be safe', 'just in case', 'when you can', 'right away', 'immediately'],
];

const notHidden = [
  'except',
  'except for',
  'excluding',
  'without',
  'ignoring',
  'but not',
  'not',
].flatMap((cue) => [`${cue} hidden ones`, `${cue} the hidden ones`, `${cue} hidden files`]);

export type SaidOptions = FileOptions & {
  readonly kind?: 'folder' | 'any';
  /** Hidden ones alone, and not also. */
  readonly isHiddenOnly?: true;
  /** `Work and everything in it`. */
  readonly isWholeFolder?: true;
};

/** How it is to be done, and whether folders are meant too. */
export function takeOptions(sentence: Sentence): SaidOptions {
  const has = (...phrases: readonly string[]) =>
    sentence.take((cursor) => cursor.take(...phrases)) !== undefined;
  // They are passed over anyway.
  has(...notHidden);
  has(...purposes);
  const isWholeFolder = has(...wholeWords);
  const isFlat = has(...flatWords);
  const isDeep = has(...deepWords);
  const conflict = conflictOf(has);
  const isAny = has('files and folders', 'folders and files', 'files and directories');
  return {
    ...(isFlat ? { recursive: false } : isDeep ? { recursive: true } : {}),
    ...(has(...permanentWords) ? { permanent: true } : {}),
    ...(has(...alsoHidden) ? { hidden: true } : {}),
    ...(has('hidden', 'dotfiles', 'dot files') ? { hidden: true, isHiddenOnly: true } : {}),
    ...(conflict === undefined ? {} : { on_conflict: conflict }),
    ...(isAny ? { kind: 'any' } : {}),
    ...(isWholeFolder ? { isWholeFolder: true } : {}),
  };
}

function conflictOf(has: (...phrases: readonly string[]) => boolean): FileOptions['on_conflict'] {
  if (
    has(
      ...['do not overwrite anything', 'do not overwrite', 'without overwriting anything'],
      ...['without overwriting', 'skip existing files', 'skip existing', 'skipping existing files'],
      ...['skip duplicates', 'skipping existing ones', 'do not replace anything'],
    )
  ) {
    return 'skip';
  }
  if (has('overwriting existing files', 'replacing existing files', 'overwrite existing files')) {
    return 'replace';
  }
  return has('keep both', 'keeping both') ? 'number' : undefined;
}

const conditional = [
  'deleted',
  'removed',
  'moved',
  'renamed',
  'copied',
  'affected',
  'changed',
].flatMap((done) =>
  [
    'show me what',
    'show what',
    'list what',
    'show which files',
    'list which files',
    'list the files that',
    'show me the files that',
    'tell me which files',
    'tell me what',
    'show me which files',
    'which files',
    'what files',
    'what',
  ].flatMap((lead) => [`${lead} would be ${done} if i`, `${lead} would get ${done} if i`]),
);

const dryRunWords = [
  ...[
    'just show me what would happen',
    'only show me what would happen',
    'show me what would happen if i',
  ],
  ...['tell me what would happen if i', 'show me what would happen', 'tell me what would happen'],
  ...[
    'show what would happen',
    'show a preview of',
    'give me a preview of',
    'show me a preview of',
  ],
  ...conditional,
  ...['what would happen if i were to', 'what would happen if you', 'what would happen if i'],
  ...[
    'what would happen if we',
    'what will happen if i',
    'what happens if i',
    'what if i',
    'what would happen when i',
  ],
  ...['do a dry run of', 'do a dry run:', 'as a dry run', 'dry run of', 'dry-run of', 'dry run'],
  ...[
    'dry-run',
    'pretend to',
    'pretend you',
    'simulate',
    'preview of',
    'preview what happens if i',
  ],
  ...[
    'preview',
    'without doing it',
    'without actually doing it',
    'without actually doing anything',
  ],
  ...['but do not do it yet', 'but do not actually do it', 'do not actually do it', 'just pretend'],
  ...[
    'without changing anything',
    'as a test',
    'test run',
    'but do not do anything',
    'just a test',
  ],
  ...['show me what would happen if i', 'show me what would happen if you', 'do not do it yet'],
  ...['tell me what would happen if i', 'without touching anything', 'hypothetically'],
];

/** Takes out the words that ask only what would happen. */
export function takeDryRun(sentence: Sentence): boolean {
  const found = sentence.takeAll((cursor) => cursor.take(...dryRunWords));
  return found.length > 0;
}
