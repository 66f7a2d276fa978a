/** What the file agent does not do, and whose work it is. Only the verb of the sentence counts. */
import type { SentenceWorld } from '../../kernel/files/understanding.ts';
import type { Sentence } from '../../kernel/language/cursor.ts';
import { folderAt, knownPath } from './folders.ts';
import { hasOrder } from './order.ts';
import {
  compressing,
  documents,
  heads,
  images,
  network,
  notYet,
  type Refusal,
  remote,
} from './out-of-scope-words.ts';

const often = ['every', 'each'];
const times =
  /^(?:day|week|month|year|night|morning|evening|hour|minute|time|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?$/;

/** Looked for before anything is made of the sentence. */
export function outOfScope(
  sentence: Sentence,
  start: number,
  world: SentenceWorld,
): Refusal | undefined {
  if (isRemote(sentence, world)) return { message: network };
  const head = sentence.cursor(start);
  for (const [refusal, phrases] of heads) {
    const said = head.take(...phrases);
    if (said !== undefined && !isOurs(sentence, { said, start }, world))
      return aboutImages(sentence, refusal);
    head.at = start;
  }
  for (let at = start; at < sentence.tokens.length; at++) {
    const cursor = sentence.cursor(at);
    const isOften =
      often.includes(cursor.word ?? '') && times.test(sentence.tokens[at + 1]?.fold ?? '');
    const isKept = cursor.take(
      'in sync',
      'automatically',
      'whenever',
      'daily',
      'weekly',
      'monthly',
    );
    if (isOften || isKept !== undefined) return { message: notYet };
  }
  if (isPacked(sentence)) return { agent: 'archive_agent', message: compressing };
  if (reshapes(sentence, start)) return { agent: 'image_agent', message: images };
  return saysWhat(sentence, start);
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

/** `print notes.txt`; `print report.pdf` and `print it twice` want paper. */
function isShown({ tokens }: Sentence): boolean {
  const words = tokens.map(({ fold }) => fold);
  if (words.includes('contents') || words.includes('content')) return true;
  const [name, ...others] = tokens.filter(({ kind }) => kind === 'name' || kind === 'path');
  const isPaper = words.some((word) =>
    /^(?:printer|paper|copies|pages?|times|twice|colou?r)$/.test(word),
  );
  const isText = /\.\w+$/.test(name?.fold ?? '') && !documentEnding.test(name?.fold ?? '');
  return isText && !imageEnding.test(name?.fold ?? '') && others.length === 0 && !isPaper;
}

function isSentHere(sentence: Sentence, world: SentenceWorld): boolean {
  return sentence.tokens.some(({ fold }, at) => {
    if (fold === 'bin') return true;
    const isTo = fold === 'to' || fold === 'into';
    return isTo && folderAt(sentence.cursor(at + 1), world)?.how === 'exact';
  });
}

/** `put them in a zip file`. */
function isPacked({ tokens }: Sentence): boolean {
  return tokens.some(({ fold }, at) => {
    const before = tokens.slice(Math.max(0, at - 2), at).map((token) => token.fold);
    const isInto = ['in', 'into', 'as', 'to'].includes(before[0] ?? '');
    return (
      /^(?:zip|tar|tarball|rar)$/.test(fold) && isInto && ['a', 'one'].includes(before[1] ?? '')
    );
  });
}

const looks = new Set(
  'smaller larger bigger brighter darker sharper grayscale greyscale white transparent'.split(' '),
);

/** `make the photos smaller`, `make them black and white`. */
function reshapes(sentence: Sentence, start: number): boolean {
  const isMade = sentence.cursor(start).take('make', 'turn') !== undefined;
  return isMade && looks.has(sentence.tokens.at(-1)?.fold ?? '');
}

function isRemote({ tokens }: Sentence, world: SentenceWorld): boolean {
  return tokens.some(({ kind, fold }, at) => {
    if (kind === 'path') return /^(?:[a-z][a-z0-9+]{1,9}:)?\/\//.test(fold);
    if (kind !== 'word') return false;
    return remote.some((phrase) => {
      const words = phrase.split(' ');
      const isThere = words.every((word, index) => tokens[at + index]?.fold === word);
      // A folder of that name on this computer is one of ours.
      return isThere && knownPath(words.at(-1) ?? '', world) === undefined;
    });
  });
}

function aboutImages({ tokens }: Sentence, refusal: Refusal): Refusal {
  const isImages = tokens.some(({ fold }) =>
    /^(?:photo|picture|image|png|jpe?g|heic)s?$/.test(fold),
  );
  const isConverted = tokens.some(({ fold }) => fold === 'convert' || fold === 'turn');
  return isImages && isConverted ? { agent: 'image_agent', message: images } : refusal;
}

const documentEnding = /\.(?:pdf|docx?|odt|rtf|pptx?|odp|xlsx?|ods|epub)$/;
const imageEnding = /\.(?:png|jpe?g|gif|heic|webp|tiff?|bmp)$/;
const archiveEnding = /\.(?:zip|tar|t?gz|7z|rar|bz2|xz)$/;
const imageNoun = /^(?:picture|photo|image|screenshot)$/;
const documentNoun = /^(?:pdf|docx?|document|contract|letter|presentation|scan)s?$/;

/** `what does the PDF say`: the text of a plain file may be read, that of a document not. */
function saysWhat(sentence: Sentence, start: number): Refusal | undefined {
  const said = sentence.tokens.slice(start).map(({ fold }) => fold);
  const named = sentence.tokens.filter(({ kind }) => kind !== 'word').map(({ fold }) => fold);
  const isNamedLast = sentence.tokens.at(-1)?.kind !== 'word' && asksWhatIsIn(said);
  const isListed = isNamedLast || said.includes('contents') || said[0] === 'open';
  if (isListed && named.length === 1 && archiveEnding.test(named[0] ?? '')) {
    return { agent: 'archive_agent', message: compressing };
  }
  if (!asksInside(said) && !isNamedLast) return undefined;
  if (named.some((name) => imageEnding.test(name)))
    return { agent: 'image_agent', message: inside };
  if (named.length === 0 && said.some((word) => imageNoun.test(word))) {
    return { agent: 'image_agent', message: inside };
  }
  const isDocument = named.some((name) => documentEnding.test(name));
  const isSpoken = named.length === 0 && said.some((word) => documentNoun.test(word));
  return isDocument || isSpoken ? { agent: 'document_agent', message: documents } : undefined;
}

const inside = 'What is to be seen in images is work of the image_agent';

/** `what is in report.pdf`. */
function asksWhatIsIn(said: readonly string[]): boolean {
  return said.includes('what') && ['in', 'inside'].includes(said.at(-2) ?? '');
}

/** `what does … say`, `what is … about`, `read the text in …`. */
function asksInside(said: readonly string[]): boolean {
  const sentence = ` ${said.join(' ')} `;
  const asks = [' say ', ' says ', ' mean ', ' talk ', ' about '];
  const isQuestion = ['what does', 'what is', 'what do'].includes(said.slice(0, 2).join(' '));
  if (isQuestion && asks.some((word) => sentence.includes(word))) return true;
  const isText = [' text in ', ' text of ', ' text from ', ' words in ', ' words on '];
  const isRead = ['read', 'show', 'get', 'what', 'give', 'find', 'see'].includes(said[0] ?? '');
  if (isRead && isText.some((phrase) => sentence.includes(phrase))) return true;
  return / (?:who|what) is (?:in|on) (?:this|that|the) (?:picture|photo|image|scan) /.test(
    sentence,
  );
}
