/**
 * What a sentence leads to before anything is made of it: a refusal, where it is the work of
 * another agent, or a question, where its verb says too little. Only the verb counts.
 */
import { Sentence } from '../../kernel/language/cursor.ts';
import { phrases, phraseTable, wordSet } from '../../kernel/language/phrases.ts';
import { must } from '../../kernel/must.ts';
import { quote } from '../../kernel/text/quote.ts';
import { folderAt, knownPath, type Said } from './folders.ts';
import { kindAt } from './kinds.ts';
import { hasOrder } from './order.ts';
import { isSorting, verbAt } from './verbs.ts';
import { isFiller } from './words.ts';

export interface Refusal {
  readonly message: string;
  /** Whose work it is, where there is one. */
  readonly agent?: string;
}

const example = 'For example: move PDFs in Downloads older than 30 days to Archive.';
const abilities = 'I list, find, read, write, move, copy, rename and delete files.';

/** By the name that the tables have for them; one that ends with _agent is whose work it is. */
const messages: Readonly<Record<string, string>> = {
  archive_agent:
    'Compressing and unpacking is work of the archive_agent; I move, copy, rename, find and delete files',
  document_agent:
    'What is inside documents (summaries, conversion, translation) is work of the document_agent',
  image_agent: 'Changing images is work of the image_agent',
  network: 'Network drives are out of scope: I work with the files of this computer alone',
  notYet: 'Watching and syncing folders is not possible yet: I do one thing when you ask for it',
  others: 'That is out of scope: I only work with files and folders of this computer',
};
const questions: Readonly<Record<string, string>> = {
  help: `${abilities} For example: find PDFs from last week.`,
  whichFiles: `What shall happen to which files? ${example}`,
  justSay: `Just say what is to be done. ${example}`,
  average: 'I tell how much they take together, and how large each of them is. Say: how big are …',
  inside: 'I count files, and not what is in them. Say: how many PDFs are in Downloads.',
  undo: 'What has been done is undone with `aos files undo` and the number of its plan.',
  part: 'I can write a whole file, and not change a part of one. Say: write "…" to name.txt.',
  trash: 'The trash is emptied elsewhere; I delete files in folders. Which ones?',
  folder: 'A folder is made when something goes into it. Say: move … to a folder called "…".',
  unwanted: 'Shall something be deleted? Then say so: delete the zip files in Downloads.',
  wholeFiles: 'I read whole files. Say for example: read notes.txt in Documents.',
  whatShall: 'What shall I do? For example: find PDFs from last week.',
};

/** The verbs of others at the head of a sentence. */
const refused = phraseTable(`
document_agent: summarise, summarize, sum up, ocr, translate, transcribe, proofread, convert, merge
  turn (this|the|my|all|these|those|every|a), (give me|make|write) a summary, (make|create) a pdf
  explain, extract [the] text, split, combine, spell check, analyse, analyze
archive_agent: compress, zip [up], unzip, untar, tar [up], gzip, gunzip, pack, decompress, uncompress
  unpack, shrink, extract, unarchive, (make|create) (a zip|an archive|a tarball|a compressed), bundle
  rar, unrar
image_agent: resize, crop, rotate, flip, blur, sharpen, brighten, scale [down], edit the (photo|image)
  (make|create) [a] (thumbnails|thumbnail), enhance, remove the background, desaturate, retouch
  make a collage, colorize
notYet: watch, monitor, sync, synchronise, synchronize, mirror, notify me, tell me when, whenever
  every (time|day|week|month|hour), each (time|day|week), keep [an eye], (alert|remind|warn) me
  schedule, automatically, let me know when, track changes
network: search the (web|internet), search online, google, upload, download, mount, share, sync to
  stream
others: send, email, e-mail, mail, forward, text, post, tweet, publish, play, install, uninstall, run
  execute, encrypt, decrypt, password protect, password-protect, tag, print, call, book, order, buy
  format, burn, set, message, (what|how) is the weather, what time is it, what is the time, lock
  tell me a joke, change [the] (permissions|owner|ownership), chmod, chown, unlock, protect, hide
  unhide, symlink, fax, defragment, defrag, reboot, restart, shut down, turn (off|on), launch, eject
  unmount, repair, partition, upgrade, connect, scan my (computer|disk), scan for viruses, compare
  diff, ask, open (firefox|chrome|safari|edge|outlook|spotify|photoshop|zoom|slack)`);

/** Those of which a question comes back. */
const vague = phraseTable(`
help: what can you do, help, who are you, what are you
whichFiles: organise, organize, tidy [up], clean [up|my|the], sort [out], declutter, group, swap
  file (the|my|all|these|those|away), put away, free up, make (room|space), consolidate, deduplicate
  dedupe, arrange, categorise, categorize, fix, improve, manage, handle, deal with, exchange, flatten
justSay: how (do|can|would) i, how to, (tell|show) me how to
inside: how many (pages|words|lines|characters|slides|letters)
average: what is the (average|mean|median), average [size]
undo: undo, restore, undelete, recover, bring back, revert
part: overwrite, replace, append, edit, add a line, change the text, insert, modify, update
trash: empty (the|my) (trash|bin|recycle bin), empty trash
folder: (make|create) a [new] (folder|directory), mkdir, new folder
unwanted: (i|we) do not (want|need), (i|we) no longer (want|need), i have no use for
  i am (done|finished) with`);

/** Anywhere in the sentence, folded; each with what it comes to. */
const anywhere: readonly (readonly [string, RegExp])[] = [
  [
    'notYet',
    / (?:every|each) (?:day|week|month|year|night|morning|evening|hour|minute|time|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s? /,
  ],
  ['notYet', / (?:in sync|automatically|whenever|daily|weekly|monthly) /],
  // `Put them in a zip file`.
  ['archive_agent', / (?:in|into|as|to) (?:a|one) (?:zip|tar|tarball|rar) /],
  // `Make the photos smaller`, `make them black and white`.
  [
    'image_agent',
    /^ (?:\w+ )*?(?:make|turn) .*(?:smaller|larger|bigger|brighter|darker|sharper|gr[ae]yscale|white|transparent) $/,
  ],
];

/** A part of a file, and not all of it: `the first 100 lines of notes.txt`. */
const parts = [
  / (?:first|last) (?:\S+ )?(?:byte|line|character|word|page|paragraph)s? (?:of|in) /,
  / (?:byte|line|character|word|page|paragraph)s? \d+ of /,
];
const yesOrNo =
  /^ (?:(?:yes|no|ok|okay|yep|nope|sure|stop|cancel|abort|quit|exit|do|go)(?: it)?) $/;

function refusing(name: string): Refusal {
  const message = must(messages[name], `the message of ${name}`);
  return name.endsWith('_agent') ? { agent: name, message } : { message };
}

/** Where it is the work of others; undefined where it may be ours. */
export function refusalOf(sentence: Said, start: number): Refusal | undefined {
  if (isRemote(sentence)) return refusing('network');
  for (const [name, words] of refused) {
    const said = sentence.cursor(start).take(words);
    if (said === undefined || isOurs(sentence, said, start)) continue;
    const isConverted = / (?:convert|turn) .*(?:photo|picture|image|png|jpe?g|heic)s? /;
    return refusing(isConverted.test(sentence.text) ? 'image_agent' : name);
  }
  const free = sentence.free().filter(({ at, token }) => at >= start && token.kind === 'word');
  const text = ` ${free.map(({ token }) => token.fold).join(' ')} `;
  const found = anywhere.find(([, words]) => words.test(text));
  return found === undefined ? saysWhat(sentence, start) : refusing(found[0]);
}

/** Where the verb says too little. */
export function questionOf(sentence: Said, start: number): string | undefined {
  const found = verbAt(sentence.cursor(start));
  const name = found?.verb === 'rename' ? undefined : vagueAt(sentence, start);
  // Shown in an order, and put nowhere; "clean out" deletes.
  const isOrdered = isSorting(found) ? hasOrder(sentence) : found?.said === 'clean out';
  if (name !== undefined && !(name === 'whichFiles' && isOrdered)) return questions[name];
  const isCommand = /^ (?:head|tail) /.test(sentence.text) && sentence.tokens.length <= 4;
  const isPart = parts.some((part) => part.test(sentence.text));
  if (isPart || (isCommand && sentence.tokens.some(isFileName))) return questions['wholeFiles'];
  return yesOrNo.test(sentence.text) ? questions['whatShall'] : unknownVerb(sentence, start);
}

function vagueAt(sentence: Said, start: number): string | undefined {
  // "Get everything off my desktop".
  if (sentence.word(start) === 'get' && sentence.text.includes(' off ')) return 'unwanted';
  return vague.find(([, words]) => sentence.cursor(start).take(words) !== undefined)?.[0];
}

const objects = wordSet('my the all this these those every each');

/** `fax the contract`: a verb that is not known, and what it is to be done to. */
function unknownVerb(sentence: Said, start: number): string | undefined {
  const [first, second] = sentence.tokens.slice(start);
  const isObject = objects.has(sentence.word(start + 1)) || second?.kind === 'name';
  const isWord = first?.kind === 'word' && !first.isEnd && /^[a-z]{3,}(?<!s)$/.test(first.fold);
  if (!isWord || !isObject || isFiller(first.fold)) return undefined;
  const cursor = sentence.cursor(start);
  if (verbAt(cursor) !== undefined || kindAt(cursor) !== undefined) return undefined;
  return `I do not know how to ${quote(first.text)}. ${abilities}`;
}

function isFileName({ kind }: { readonly kind: string }): boolean {
  return kind === 'name' || kind === 'path';
}

/** "Tell me when it was changed" asks for what has been; what is sent to a folder stays here. */
function isOurs(sentence: Said, said: string, start: number): boolean {
  const { text, tokens } = sentence;
  if (said === 'send') return / (?:trash|bin) /.test(text) || isSentHere(sentence);
  if (said === 'keep')
    return sentence.cursor(start).take('keep a copy of', 'keep a backup of') !== undefined;
  if (said === 'order') return hasOrder(sentence);
  // Files have names; only people are called.
  if (said === 'call') return tokens.some(isFileName);
  // On the screen, and not on paper.
  if (said === 'print') return isShown(sentence);
  return said.endsWith(' when') && / (?:was|were|did) /.test(text);
}

const documentEnding = /\.(?:pdf|docx?|odt|rtf|pptx?|odp|xlsx?|ods|epub)$/;
const imageEnding = /\.(?:png|jpe?g|gif|heic|webp|tiff?|bmp)$/;
const archiveEnding = /\.(?:zip|tar|t?gz|7z|rar|bz2|xz)$/;

/** `print notes.txt`; `print report.pdf` and `print it twice` want paper. */
function isShown({ tokens, text }: Said): boolean {
  if (/ contents? /.test(text)) return true;
  const [{ fold: name } = { fold: '' }, ...rest] = tokens.filter(isFileName);
  const isText = /\.\w+$/.test(name) && !documentEnding.test(name) && !imageEnding.test(name);
  const isPaper = / (?:printer|paper|copies|pages?|times|twice|colou?r) /.test(text);
  return isText && rest.length === 0 && !isPaper;
}

function isSentHere(sentence: Said): boolean {
  return sentence.tokens.some(({ fold }, at) => {
    const isTo = fold === 'to' || fold === 'into';
    return isTo && folderAt(sentence.cursor(at + 1))?.how === 'exact';
  });
}

const remote = phrases(`
google drive, gdrive, onedrive, one drive, dropbox, icloud, s3 [bucket], ftp, sftp, smb, nfs, webdav
network (drive|share|drives), shared drive, nas, (the|my) cloud, sharepoint, the server, file server
nextcloud, cloud storage, remote server, samba`);

function isRemote({ tokens, world, text }: Said): boolean {
  if (
    tokens.some(({ kind, fold }) => kind === 'path' && /^(?:[a-z][a-z0-9+]{1,9}:)?\/\//.test(fold))
  )
    return true;
  return remote.all.some((phrase) => {
    if (!text.includes(` ${phrase} `)) return false;
    // A folder of that name on this computer is one of ours.
    return knownPath(phrase.slice(phrase.lastIndexOf(' ') + 1), world) === undefined;
  });
}

/** `what does … say`, `what is … about`, `read the text in …`. */
const insides = [
  /^what (?:does|is|do) .*\b(?:says?|mean|talk|about) /,
  /^(?:read|show|get|what|give|find|see) .*\b(?:text (?:in|of|from)|words (?:in|on)) /,
  /(?:^| )(?:who|what) is (?:in|on) (?:this|that|the) (?:picture|photo|image|scan) /,
];
const seen = 'What is to be seen in images is work of the image_agent';
const imageNoun = / (?:picture|photo|image|screenshot) /;
const documentNoun = / (?:pdf|docx?|document|contract|letter|presentation|scan)s? /;

/** `what does the PDF say`: the text of a plain file may be read, that of a document not. */
function saysWhat({ tokens, world }: Said, start: number): Refusal | undefined {
  const said = new Sentence(tokens.slice(start), world).text.trimStart();
  const named = tokens.filter(({ kind }) => kind !== 'word').map(({ fold }) => fold);
  // `What is in report.pdf`.
  const isNamedLast = tokens.at(-1)?.kind !== 'word' && /\bwhat\b.* (?:in|inside) \S+ $/.test(said);
  const isListed = isNamedLast || / contents /.test(said) || said.startsWith('open ');
  if (isListed && named.length === 1 && archiveEnding.test(named.join('')))
    return refusing('archive_agent');
  if (!isNamedLast && !insides.some((pattern) => pattern.test(said))) return undefined;
  const isOf = (ending: RegExp, noun: RegExp) =>
    named.some((name) => ending.test(name)) || (named.length === 0 && noun.test(` ${said}`));
  if (isOf(imageEnding, imageNoun)) return { agent: 'image_agent', message: seen };
  return isOf(documentEnding, documentNoun) ? refusing('document_agent') : undefined;
}
