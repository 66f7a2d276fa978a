/** What the file agent does not do, and whose work it is. Only the verb of the sentence counts. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Sentence } from '../../kernel/language/cursor.ts';
import { type Phrases, phrases, wordSet } from '../../kernel/language/phrases.ts';
import { folderAt, knownPath } from './folders.ts';
import { hasOrder } from './order.ts';

export interface Refusal {
  readonly agent?: string;
  readonly message: string;
}

const archives: Refusal = {
  agent: 'archive_agent',
  message:
    'Compressing and unpacking is work of the archive_agent; I move, copy, rename, find and delete files',
};
const documents: Refusal = {
  agent: 'document_agent',
  message:
    'What is inside documents (summaries, conversion, translation) is work of the document_agent',
};
const images: Refusal = {
  agent: 'image_agent',
  message: 'Changing images is work of the image_agent',
};
const inImages: Refusal = {
  agent: 'image_agent',
  message: 'What is to be seen in images is work of the image_agent',
};
const network: Refusal = {
  message: 'Network drives are out of scope: I work with the files of this computer alone',
};
const notYet: Refusal = {
  message: 'Watching and syncing folders is not possible yet: I do one thing when you ask for it',
};
const others: Refusal = {
  message: 'That is out of scope: I only work with files and folders of this computer',
};

/** The verbs of others. */
const heads: readonly (readonly [Refusal, Phrases])[] = [
  [
    documents,
    phrases(`
summarise, summarize, sum up, ocr, translate, transcribe, proofread, (make|create) a pdf, convert
turn (this|the|my|all|these|those|every|a), (give me|make|write) a summary, merge, explain
extract [the] text, split, combine, spell check, analyse, analyze`),
  ],
  [
    archives,
    phrases(`
compress, zip [up], unzip, untar, tar [up], gzip, gunzip, pack, decompress, uncompress, unpack, shrink
extract, unarchive, (make|create) (a zip|an archive|a tarball|a compressed), bundle, rar, unrar`),
  ],
  [
    images,
    phrases(`
resize, crop, rotate, flip, blur, sharpen, brighten, scale [down], (make|create) [a] (thumbnails|thumbnail)
edit the (photo|image), enhance, remove the background, desaturate, make a collage, retouch, colorize`),
  ],
  [
    notYet,
    phrases(`
watch, monitor, sync, synchronise, synchronize, mirror, notify me, tell me when, whenever
every (time|day|week|month|hour), each (time|day|week), keep [an eye], (alert|remind|warn) me, schedule
automatically, let me know when, track changes`),
  ],
  [
    network,
    phrases(`
search the (web|internet), search online, google, upload, download, mount, share, sync to, stream`),
  ],
  [
    others,
    phrases(`
send, email, e-mail, mail, forward, text, post, tweet, publish, play, install, uninstall, run, execute
encrypt, decrypt, password protect, password-protect, tag, print, call, book, order, buy, format, burn
set, message, (what|how) is the weather, what time is it, what is the time, tell me a joke, lock
change [the] (permissions|owner|ownership), chmod, chown, unlock, protect, hide, unhide, symlink, fax
defragment, defrag, reboot, restart, shut down, turn (off|on), launch, eject, unmount, repair, partition
upgrade, connect, scan my (computer|disk), scan for viruses, compare, diff, ask`),
  ],
];

const remote = phrases(`
google drive, gdrive, onedrive, one drive, dropbox, icloud, s3 [bucket], ftp, sftp, smb, nfs, webdav
network (drive|share|drives), shared drive, nas, (the|my) cloud, sharepoint, the server, file server
nextcloud, cloud storage, remote server, samba`);
const often = phrases('in sync, automatically, whenever, daily, weekly, monthly');
const times =
  /^(?:day|week|month|year|night|morning|evening|hour|minute|time|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?$/;

/** Looked for before anything is made of the sentence. */
export function outOfScope(
  sentence: Sentence,
  start: number,
  world: SentenceWorld,
): Refusal | undefined {
  if (isRemote(sentence, world)) return network;
  for (const [refusal, words] of heads) {
    const said = sentence.cursor(start).take(words);
    if (said !== undefined && !isOurs(sentence, { said, start }, world))
      return aboutImages(sentence, refusal);
  }
  if (isRepeated(sentence, start)) return notYet;
  if (isPacked(sentence)) return archives;
  if (reshapes(sentence, start)) return images;
  return saysWhat(sentence, start);
}

function isRepeated(sentence: Sentence, start: number): boolean {
  return sentence.tokens.some(({ fold }, at) => {
    const isOften = ['every', 'each'].includes(fold) && sentence.isFree(at);
    const isTimed = isOften && times.test(sentence.tokens[at + 1]?.fold ?? '');
    return at >= start && (isTimed || sentence.cursor(at).take(often) !== undefined);
  });
}

/** "Tell me when it was changed" asks for what has been; what is sent to a folder stays here. */
function isOurs(
  sentence: Sentence,
  { said, start }: { readonly said: string; readonly start: number },
  world: SentenceWorld,
): boolean {
  const words = sentence.tokens.map(({ fold }) => fold);
  if (said === 'send') return words.includes('trash') || isSentHere(sentence, world);
  if (said === 'keep') return /^keep a (?:copy|backup) of /.test(words.slice(start).join(' '));
  if (said === 'order') return hasOrder(sentence);
  // Files have names; only people are called.
  if (said === 'call')
    return sentence.tokens.some(({ kind }) => kind === 'name' || kind === 'path');
  // On the screen, and not on paper.
  if (said === 'print') return isShown(sentence);
  return / when$/.test(said) && ['was', 'were', 'did'].some((word) => words.includes(word));
}

const paper = /^(?:printer|paper|copies|pages?|times|twice|colou?r)$/;
const documentEnding = /\.(?:pdf|docx?|odt|rtf|pptx?|odp|xlsx?|ods|epub)$/;
const imageEnding = /\.(?:png|jpe?g|gif|heic|webp|tiff?|bmp)$/;
const archiveEnding = /\.(?:zip|tar|t?gz|7z|rar|bz2|xz)$/;

/** `print notes.txt`; `print report.pdf` and `print it twice` want paper. */
function isShown({ tokens }: Sentence): boolean {
  const words = tokens.map(({ fold }) => fold);
  if (words.includes('contents') || words.includes('content')) return true;
  const [{ fold: name } = { fold: '' }, ...rest] = tokens.filter(
    ({ kind }) => kind === 'name' || kind === 'path',
  );
  const isText = /\.\w+$/.test(name) && !documentEnding.test(name) && !imageEnding.test(name);
  return isText && rest.length === 0 && !words.some((word) => paper.test(word));
}

function isSentHere(sentence: Sentence, world: SentenceWorld): boolean {
  return sentence.tokens.some(({ fold }, at) => {
    const isTo = fold === 'to' || fold === 'into';
    return fold === 'bin' || (isTo && folderAt(sentence.cursor(at + 1), world)?.how === 'exact');
  });
}

/** `put them in a zip file`. */
function isPacked({ tokens }: Sentence): boolean {
  return / (?:in|into|as|to) (?:a|one) (?:zip|tar|tarball|rar) /.test(
    ` ${tokens.map(({ fold }) => fold).join(' ')} `,
  );
}

const looks = wordSet(
  'smaller larger bigger brighter darker sharper grayscale greyscale white transparent',
);

/** `make the photos smaller`, `make them black and white`. */
function reshapes(sentence: Sentence, start: number): boolean {
  const isMade = sentence.cursor(start).take('make', 'turn') !== undefined;
  return isMade && looks.has(sentence.tokens.at(-1)?.fold ?? '');
}

function isRemote(sentence: Sentence, world: SentenceWorld): boolean {
  return sentence.tokens.some(({ kind, fold }, at) => {
    if (kind === 'path') return /^(?:[a-z][a-z0-9+]{1,9}:)?\/\//.test(fold);
    const said = remote
      .from(fold)
      .find((words) => words.every((word, index) => sentence.tokens[at + index]?.fold === word));
    // A folder of that name on this computer is one of ours.
    const isThere = kind === 'word' && said !== undefined;
    return isThere && knownPath(said.at(-1) ?? '', world) === undefined;
  });
}

function aboutImages({ tokens }: Sentence, refusal: Refusal): Refusal {
  const isImages = tokens.some(({ fold }) =>
    /^(?:photo|picture|image|png|jpe?g|heic)s?$/.test(fold),
  );
  const isConverted = tokens.some(({ fold }) => fold === 'convert' || fold === 'turn');
  return isImages && isConverted ? images : refusal;
}

const imageNoun = /^(?:picture|photo|image|screenshot)$/;
const documentNoun = /^(?:pdf|docx?|document|contract|letter|presentation|scan)s?$/;

/** `what does the PDF say`: the text of a plain file may be read, that of a document not. */
function saysWhat({ tokens }: Sentence, start: number): Refusal | undefined {
  const said = tokens.slice(start).map(({ fold }) => fold);
  const named = tokens.filter(({ kind }) => kind !== 'word').map(({ fold }) => fold);
  // `What is in report.pdf`.
  const asksWhat = said.includes('what') && ['in', 'inside'].includes(said.at(-2) ?? '');
  const isNamedLast = tokens.at(-1)?.kind !== 'word' && asksWhat;
  const isListed = isNamedLast || said.includes('contents') || said[0] === 'open';
  if (isListed && named.length === 1 && archiveEnding.test(named[0] ?? '')) return archives;
  if (!insides.some((pattern) => pattern.test(`${said.join(' ')} `)) && !isNamedLast)
    return undefined;
  const isOf = (ending: RegExp, noun: RegExp) =>
    named.some((name) => ending.test(name)) ||
    (named.length === 0 && said.some((word) => noun.test(word)));
  if (isOf(imageEnding, imageNoun)) return inImages;
  return isOf(documentEnding, documentNoun) ? documents : undefined;
}

/** `what does … say`, `what is … about`, `read the text in …`. */
const insides = [
  /^what (?:does|is|do) .*\b(?:says?|mean|talk|about) /,
  /^(?:read|show|get|what|give|find|see) .*\b(?:text (?:in|of|from)|words (?:in|on)) /,
  /(?:^| )(?:who|what) is (?:in|on) (?:this|that|the) (?:picture|photo|image|scan) /,
];
