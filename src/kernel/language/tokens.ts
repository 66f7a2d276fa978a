/** The words of a sentence. Names and quoted texts keep their spelling; `fold` is for comparing. */
import { extensions } from './extensions.ts';

export interface Token {
  readonly text: string;
  /** Lower case, without accents, compatibility forms resolved. */
  readonly fold: string;
  /** `name` is one of a file, by its dot; `pattern` has a star. */
  readonly kind: 'word' | 'quoted' | 'path' | 'pattern' | 'name';
  /** A comma, a full stop or the like stands behind it. */
  readonly isEnd: boolean;
}

const closing: Readonly<Record<string, string>> = {
  '"': '"',
  '\u201c': '\u201d',
  '\u201e': '\u201c',
  '\u00ab': '\u00bb',
  '`': '`',
  "'": "'",
  '\u2018': '\u2019',
};

export function tokensOf(sentence: string): Token[] {
  const tokens: Token[] = [];
  for (let place = 0; place < sentence.length; ) {
    const quoted = quotedAt(sentence, place);
    const end = quoted?.next ?? endOfWord(sentence, place);
    if (quoted !== undefined) tokens.push(quoted.token);
    else if (isDotPlace(sentence.slice(place, end), tokens.at(-1))) tokens.push(dotPlace);
    else tokens.push(...wordsOf(sentence.slice(place, end)));
    place = Math.max(end, place + 1);
  }
  return tokens;
}

const dotPlace: Token = { text: '.', fold: '.', kind: 'path', isEnd: false };

/** `in .` is a place; elsewhere a dot by itself is the end of the sentence. */
function isDotPlace(written: string, before: Token | undefined): boolean {
  const isPlace = before?.kind === 'word' && !before.isEnd;
  return (
    written === '.' && isPlace && ['in', 'inside', 'within', 'under', 'from'].includes(before.fold)
  );
}

export function fold(text: string): string {
  const plain = text.normalize('NFKC').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[\u2018\u2019]/g, "'").replace(/[\u2010\u2011]/g, '-');
}

function quotedAt(
  sentence: string,
  place: number,
): { readonly token: Token; readonly next: number } | undefined {
  const close = closing[sentence.charAt(place)];
  if (close === undefined) return undefined;
  const end = endOfQuote(sentence, place + 1, close);
  if (end === -1) return undefined;
  const text = sentence.slice(place + 1, end);
  const isEnd = /[,.;:!?]/.test(sentence.charAt(end + 1));
  return { token: { text, fold: fold(text), kind: 'quoted', isEnd }, next: end + 1 };
}

// An apostrophe ends a quotation only where no letter follows.
function endOfQuote(sentence: string, from: number, close: string): number {
  const isApostrophe = close === "'" || close === '\u2019';
  for (
    let end = sentence.indexOf(close, from);
    end !== -1;
    end = sentence.indexOf(close, end + 1)
  ) {
    if (!isApostrophe || !/[\p{L}\p{N}]/u.test(sentence.charAt(end + 1))) return end;
  }
  return -1;
}

function endOfWord(sentence: string, from: number): number {
  let end = from;
  while (end < sentence.length && !/[\s"\u201c\u201e\u00ab\u2014]/.test(sentence.charAt(end)))
    end++;
  return end;
}

const punctuation = ',.;:!?)]\u2026\'"`\u2019\u201d';

function wordsOf(written: string): Token[] {
  let end = written.length;
  while (end > 0 && punctuation.includes(written.charAt(end - 1))) end--;
  // "(1).pdf" keeps its bracket; "(all of them)" has one that belongs to the sentence.
  const isOpen = /^[([]/.test(written) && !/[)\]]/.test(written.slice(0, end));
  const text = written.slice(isOpen ? 1 : 0, end);
  if (!/[\p{L}\p{N}*/~<>]/u.test(text)) return [];
  const isEnd = /[,.;:!?\u2026]/.test(written.slice(end));
  return partsOf(text).map((part, index, all) => ({
    ...part,
    kind: kindOf(part),
    isEnd: isEnd && index === all.length - 1,
  }));
}

type Part = Pick<Token, 'text' | 'fold'>;

const contracted: Readonly<Record<string, string>> = {
  "'s": 'is',
  "'re": 'are',
  "'d": 'would',
  "'ve": 'have',
  "'ll": 'will',
  "'m": 'am',
};
const beforeIs = ['what', 'where', 'how', 'who', 'that', 'it', 'there', 'here', 'which', 'when'];
const withoutApostrophe: Readonly<Record<string, readonly string[]>> = {
  dont: ['do', 'not'],
  cant: ['can', 'not'],
  wont: ['will', 'not'],
  havent: ['have', 'not'],
  hasnt: ['has', 'not'],
  didnt: ['did', 'not'],
  shouldnt: ['should', 'not'],
  whats: ['what', 'is'],
  wheres: ['where', 'is'],
  "let's": ['let', 'us'],
  "can't": ['can', 'not'],
  "won't": ['will', 'not'],
  cannot: ['can', 'not'],
  'and/or': ['and'],
};

/** `don't` is two words; of `Ahmed's` only the name is one. */
function partsOf(text: string): Part[] {
  const folded = fold(text);
  const listed = folded.split('/');
  if (listed.length > 1 && listed.every(isEnding)) {
    return listed.map((each) => asWritten(each));
  }
  if (/^[<>]\d/.test(folded)) return [folded.slice(0, 1), folded.slice(1)].map(asWritten);
  const known = Object.hasOwn(withoutApostrophe, folded) ? withoutApostrophe[folded] : undefined;
  if (known !== undefined) return known.map((word) => ({ text, fold: word }));
  if (folded.endsWith("n't")) {
    return [folded.slice(0, -3), 'not'].map((word) => ({ text, fold: word }));
  }
  const cut = folded.lastIndexOf("'");
  const tail = cut > 0 ? contracted[folded.slice(cut)] : undefined;
  if (tail === undefined) return [{ text, fold: folded }];
  const head = folded.slice(0, cut);
  if (tail !== 'is') return [head, tail].map((word) => ({ text, fold: word }));
  const bare = { text: text.slice(0, -2), fold: head };
  return beforeIs.includes(head) ? [bare, { text, fold: 'is' }] : [bare];
}

/** `jpg/png` are two kinds, and no folder. */
function isEnding(word: string): boolean {
  return extensions.has(word) || extensions.has(word.replace(/s$/, ''));
}

function asWritten(text: string): Part {
  return { text, fold: text };
}

/** Names of files that are all extension. */
const dotFiles = new Set(
  '.ds_store .gitignore .gitconfig .gitattributes .bashrc .bash_profile .bash_history .zshrc .profile .env .npmrc .htaccess .htpasswd .vimrc .editorconfig .dockerignore .netrc'.split(
    ' ',
  ),
);

function kindOf({ text, fold: folded }: Part): Token['kind'] {
  if (/^[\d./-]+$/.test(text) && text !== '/') return 'word';
  // `and/or` is one word for us.
  if (folded === 'and') return 'word';
  if (text.includes('/') || text.startsWith('~')) return 'path';
  if (text.includes('*')) return 'pattern';
  if (dotFiles.has(folded)) return 'name';
  const dot = folded.lastIndexOf('.');
  const extension = folded.slice(dot + 1);
  if (dot <= 0 || !/^(?=.*[a-z])[a-z0-9]{1,8}$/.test(extension)) return 'word';
  // 1.5gb is a size.
  const isSize = /^[\d.,]+$/.test(folded.slice(0, dot)) && /^\d/.test(extension);
  return isSize ? 'word' : 'name';
}
