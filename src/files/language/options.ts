/** How something is to be done: how deep, for good, or only to see what would happen. */
import type { FileOptions } from '../../kernel/files/request.ts';
import type { Sentence } from '../../kernel/language/cursor.ts';
import { type Phrases, phrases } from '../../kernel/language/phrases.ts';

const deep = phrases(`
recursively, at any depth, subfolders included, in subfolders too, and [everything] below
(including|with|and) [all|any|the|its|all its|all of its] (subfolders|sub-folders|subdirectories)
including (those|files|everything|what is) in subfolders, in all subfolders`);
const flat = phrases(`
[but|and] not [its|in] subfolders, (without|excluding|ignoring|no) subfolders, top level only
(only|at) the top level, directly, not recursively`);
const whole = phrases(`
(and|with|including|along with|together with) everything [that is] (in it|inside [it]|below it|within it)
(and|with|including|along with|together with) (all [of] its contents|its contents|all the contents)
(and|with|including|along with|together with) all that is in it`);
const permanent = phrases('permanently, for (good|ever), forever, irreversibly, completely');
const alsoHidden = phrases(`
(including|and|with|as well as|also|even) [the] hidden (ones|files), hidden files too, also hidden
including hidden`);
const onlyHidden = phrases('hidden, dotfiles, dot files');
/** They are passed over anyway. */
const notHidden = phrases(
  '(except [for]|excluding|without|ignoring|[but] not) [the] hidden (ones|files)',
);
/** Why, and how soon: that changes nothing. */
const purposes = phrases(`
to (free [up [some]]|save|make [some]) (space|room), as soon as possible, as a backup, to be safe
for safekeeping, just in case, when you can, right away, immediately`);
const both = phrases('files and (folders|directories), folders and files');
const conflicts = {
  skip: phrases(`
do not (overwrite|replace) [anything], without overwriting [anything], skip duplicates
(skip|skipping) existing (files|ones), skip existing`),
  replace: phrases('(overwriting|replacing|overwrite) existing files'),
  number: phrases('(keep|keeping) both'),
} as const;
const dryRun = phrases(`
[just|only] show me what would happen [if (i|you)], tell me what would happen [if (i|you)]
show what would happen, (show|give me|show me) a preview of, preview [of|what happens if i]
[show|list|tell|show me|tell me] (what|which files) would (be|get) (deleted|removed|moved) if i
[show|list|tell|show me|tell me] (what|which files) would (be|get) (renamed|copied|affected|changed) if i
(list|show me) the files that would (be|get) (deleted|removed|moved|renamed|copied|affected) if i
what files would (be|get) (deleted|removed|moved|renamed|copied|affected|changed) if i
what (would|will) happen (if|when) (i|you|we) [were to], what happens if i, what if i
[do a|as a] (dry run|dry-run) [of], pretend (to|you), just pretend, simulate, hypothetically
without [actually] doing (it|anything), without (changing|touching) anything, but do not do anything
[but] do not (actually do it|do it yet), as a test, test run, just a test`);

export type SaidOptions = FileOptions & {
  readonly kind?: 'folder' | 'any';
  /** Hidden ones alone, and not also. */
  readonly isHiddenOnly?: true;
  /** `Work and everything in it`. */
  readonly isWholeFolder?: true;
};

/** How it is to be done, and whether folders are meant too. */
export function takeOptions(sentence: Sentence): SaidOptions {
  const has = (wanted: Phrases) => sentence.takePhrase(wanted);
  has(notHidden);
  has(purposes);
  const isWholeFolder = has(whole);
  const recursive = has(flat) ? false : has(deep) || undefined;
  const conflict = (['skip', 'replace', 'number'] as const).find((each) => has(conflicts[each]));
  return {
    ...(has(both) ? { kind: 'any' } : {}),
    ...(recursive === undefined ? {} : { recursive }),
    ...(has(permanent) ? { permanent: true } : {}),
    ...(has(alsoHidden) ? { hidden: true } : {}),
    ...(has(onlyHidden) ? { hidden: true, isHiddenOnly: true } : {}),
    ...(conflict === undefined ? {} : { on_conflict: conflict }),
    ...(isWholeFolder ? { isWholeFolder: true } : {}),
  };
}

/** Takes out the words that ask only what would happen. */
export function takeDryRun(sentence: Sentence): boolean {
  return sentence.takeAll((cursor) => cursor.take(dryRun)).length > 0;
}
