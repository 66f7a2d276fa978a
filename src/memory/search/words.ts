/** The words of a text, as the index of words has them: letters, digits and their marks. */

/** Written without spaces between words, so that each character stands for itself. */
const single = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const letters = '\\p{L}\\p{N}\\p{M}\\p{Co}';
const oneWord = new RegExp(`[${single}]|[[${letters}]--[${single}]]+`, 'gv');
const anySingle = new RegExp(`[${single}]`, 'gv');
// Those that the index takes away too, and not the vowels of other scripts.
const accents = /[\u0300-\u036f]/g;
const plainAscii = /^[\0-\x7f]*$/;
const plainWord = /[a-z0-9]+/gi;

/** In their order, as they are written. */
export function wordsOf(text: string): string[] {
  // Equal for plain letters, and several times quicker.
  return text.match(plainAscii.test(text) ? plainWord : oneWord) ?? [];
}

/** Small letters without accents: what a person takes for the same is the same. */
export function folded(word: string): string {
  if (plainAscii.test(word)) return word.toLowerCase();
  return word.normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase();
}

/** For the index of words, which would take a sentence without spaces for one word. */
function spaced(text: string): string {
  return plainAscii.test(text) ? text : text.normalize('NFKC').replace(anySingle, ' $& ');
}

/**
 * Forms of a word that have no letters in common to go by: the question "when did she go" finds "I
 * went". What only the end of a word changes (`walk`, `walked`) the index joins by itself.
 */
const groups = `
  become becomes became|begin begins began begun|bend bent|bite bit bitten|blow blew blown
  break broke broken|bring brings brought|build built|burn burnt|buy buys bought|catch caught
  choose chose chosen|come comes came|cost costs|creep crept|deal dealt|dig dug|draw drew drawn
  dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed
  feel feels felt|fight fought|find found|flee fled|fly flew flown|forget forgot forgotten
  forgive forgave forgiven|freeze froze frozen|get gets got gotten|give gave given
  go goes went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
  kneel knelt|know knew known|lay laid|lead led|lean leant|learn learnt|leave left|lend lent
  light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|pay pays paid
  ride rode ridden|ring rang rung|rise rose risen|run ran|say says said|see sees saw seen
  seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot
  show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept
  slide slid|smell smelt|speak spoke spoken|spell spelt|spend spent|spill spilt|spin spun
  spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung|strike struck
  strive strove striven|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung
  take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
  understand understood|wake woke woken|wear wore worn|weep wept|win won|wind wound
  withdraw withdrew withdrawn|write wrote written
  child children|foot feet|goose geese|life lives|knife knives|man men|mouse mice
  person people|shelf shelves|thief thieves|tooth teeth|wife wives|wolf wolves|woman women`;

const formsByWord = new Map(
  groups
    .split(/[|\n]/)
    .map((group) => group.trim().split(' '))
    .flatMap((forms) => forms.map((form) => [form, forms] as const)),
);

/** The word itself, and whatever else it may stand as. */
export function formsOf(folded: string): readonly string[] {
  return formsByWord.get(folded) ?? [folded];
}

/** Words that say nothing of what is looked for: every text has them. */
const stopWords = new Set(
  [
    'a about am an and any are aren as at be because been being but by can could couldn did didn',
    'do does doesn doing don done for from had hadn has hasn have haven having he her hers him his',
    'how i if in into is isn it its ll me my no nor not of on or our ours re s shall she should',
    'shouldn so t than that the their theirs them then there these they this those to too us ve',
    'very was wasn we were weren what when where which while who whom whose why will with would',
    'wouldn you your yours',
  ].flatMap((line) => line.split(' ')),
);

export function isStopWord(folded: string): boolean {
  return stopWords.has(folded);
}

export interface Searchable {
  readonly text: string;
  /** What it says more than once. */
  readonly again: string;
  /** What it is called. */
  readonly label: string;
}

export function searchableOf(memory: {
  readonly text: string;
  readonly key: string;
  readonly tags: readonly string[];
}): Searchable {
  const { text, key, tags } = memory;
  return { text: spaced(text), again: saidAgain(text), label: spaced([key, ...tags].join(' ')) };
}

function saidAgain(text: string): string {
  const [once, again] = [new Set<string>(), new Set<string>()];
  for (const word of wordsOf(text)) {
    const fold = folded(word);
    if (once.has(fold)) again.add(fold);
    else once.add(fold);
  }
  return [...again].filter((word) => !isStopWord(word)).join(' ');
}

const named = /^\s*(\p{L}[\p{L}\p{M}\p{N} .'’_-]{0,59}):\s/u;

/** Who speaks, where the text of a conversation says so: `Jean: I am here`. */
export function speakerOf(text: string): string | undefined {
  const name = named.exec(text)?.[1];
  return name === undefined ? undefined : folded(name.trim());
}

/** Whether it ends with a question; what stands in brackets behind it belongs to no sentence. */
export function isQuestion(text: string): boolean {
  const end = text.slice(-400).trimEnd();
  return /\?["'”’»)\]]*$/.test(end.replace(/\([^()]*\)$/, '').trimEnd());
}
