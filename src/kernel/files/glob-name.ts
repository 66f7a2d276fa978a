/** Patterns of one name, without braces: G1, G2 and G4 of glob.ts. */
import { must } from '../must.ts';

export interface NameTest {
  /** Whether the pattern begins with a dot. */
  readonly isHidden: boolean;
  fits(name: string): boolean;
}

export function namePattern(text: string): NameTest {
  const pattern = composed(text);
  const lowered = withLowerEnd(pattern);
  const [exact, loose] = [matcher(pattern), matcher(lowered)];
  return {
    isHidden: pattern.startsWith('.'),
    fits(name) {
      const seen = composed(name);
      if (exact(seen)) return true;
      const seenLowered = withLowerEnd(seen);
      // Where neither has capital letters there, it would be the same question.
      return (seenLowered !== seen || lowered !== pattern) && loose(seenLowered);
    },
  };
}

/** As names are compared; most are so already. */
export function composed(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? text.normalize('NFC') : text;
}

/** What is behind the last dot in small letters. */
function withLowerEnd(name: string): string {
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return name;
  const end = name.slice(dot);
  return /[^a-z0-9.*]/.test(end) ? name.slice(0, dot) + end.toLowerCase() : name;
}

type Match = (name: string) => boolean;

function matcher(pattern: string): Match {
  if (/[?[]/.test(pattern)) return slowMatcher(pattern);
  const [first = '', ...more] = pattern.split(/\*+/);
  const last = more.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let place = first.length;
    for (const piece of more) {
      const found = name.indexOf(piece, place);
      if (found === -1) return false;
      place = found + piece.length;
    }
    return place <= end;
  };
}

/** One character, or `*`. */
type Token = '*' | ((character: string) => boolean);

/** G1 of glob.ts: at most the length of the name times that of the pattern. */
function slowMatcher(pattern: string): Match {
  const tokens = tokensOf(pattern);
  return (name) => {
    const characters = Array.from(name);
    let [at, token] = [0, 0];
    /** The last star, and up to where it was taken to go. */
    let [star, until] = [-1, 0];
    while (at < characters.length) {
      const wanted = tokens[token];
      if (wanted === '*') [star, until] = [token++, at];
      else if (wanted?.(must(characters[at], 'a character of the name')) === true)
        [at, token] = [at + 1, token + 1];
      else if (star === -1) return false;
      else [at, token, until] = [until + 1, star + 1, until + 1];
    }
    return tokens.slice(token).every((left) => left === '*');
  };
}

function tokensOf(pattern: string): readonly Token[] {
  const signs = pattern.matchAll(/\*+|\?|\[[!^]?\]?[^\]]*\]|./gsu);
  return Array.from(signs, ([sign]) => {
    if (sign.startsWith('*')) return '*';
    if (sign === '?') return () => true;
    return sign.length > 1 && sign.startsWith('[')
      ? setOf(sign)
      : (character) => character === sign;
  });
}

/** `[a-z_]`, and `[!a-z]` for what is not in it. */
function setOf(sign: string): (character: string) => boolean {
  const isNot = /^\[[!^]/.test(sign);
  const ranges = sign.slice(isNot ? 2 : 1, -1).matchAll(/(.)-(.)|(.)/gsu);
  const wanted = Array.from(
    ranges,
    ([, from, to, only = '']) => [from ?? only, to ?? only] as const,
  );
  return (character) =>
    wanted.some(
      ([from, to]) => codeOf(from) <= codeOf(character) && codeOf(character) <= codeOf(to),
    ) !== isNot;
}

function codeOf(character: string): number {
  return must(character.codePointAt(0), 'the code of a character');
}
