/**
 * The ways in which a character may be written where texts are passed on: as itself, by
 * percent and hex digits, behind backslashes, as an entity. What was escaped twice is read
 * too, because a text in JSON in JSON is nothing unusual.
 */

/** What a text may say at a place, and where that ends. */
export interface SpelledCharacter {
  /** The code of the character, or `unfinished`. */
  readonly code: number;
  readonly end: number;
}

/** The text ends before it can be told. */
export const unfinished = -1;

const percent = 0x25;
const ampersand = 0x26;
const backslash = 0x5c;

/** Whether a character may be the beginning of another one. */
export function isLead(code: number): boolean {
  return code === percent || code === backslash || code === ampersand;
}

/** Every character that may be meant at this place. */
export function readings(text: string, at: number): readonly SpelledCharacter[] {
  if (at >= text.length) return [{ code: unfinished, end: at }];
  const code = text.charCodeAt(at);
  const itself = { code, end: at + 1 };
  if (code === percent) return [itself, ...byPercent(text, at)];
  if (code === backslash) return byBackslash(text, at);
  if (code === ampersand) return [itself, ...byEntity(text, at)];
  return [itself];
}

// "%" written as "%25" and then once more.
const mostPercents = 3;

function byPercent(text: string, at: number): readonly SpelledCharacter[] {
  const found: SpelledCharacter[] = [];
  let digits = at + 1;
  for (let level = 0; level < mostPercents; level++) {
    const code = hexAt(text, digits, 2);
    if (code === undefined) break;
    found.push({ code, end: digits + 2 });
    if (code !== percent) break;
    digits += 2;
  }
  return found;
}

/** Three times escaped: \\\\\\\" and \\\\u0041. */
export const mostBackslashes = 7;

function byBackslash(text: string, at: number): readonly SpelledCharacter[] {
  let behind = at;
  while (text.charCodeAt(behind) === backslash && behind - at <= mostBackslashes) behind++;
  const count = behind - at;
  const found: SpelledCharacter[] = [];
  // A backslash itself is written as 1, 2, 4, … of them.
  for (let size = 1; size <= count; size *= 2) found.push({ code: backslash, end: at + size });
  if (behind >= text.length) found.push({ code: unfinished, end: behind });
  else if (count <= mostBackslashes) readBehind(text, behind, found);
  return found;
}

const [letterN, letterR, letterU, letterX] = [0x6e, 0x72, 0x75, 0x78];

function readBehind(text: string, at: number, found: SpelledCharacter[]): void {
  const letter = text.charCodeAt(at);
  found.push({ code: letter, end: at + 1 });
  if (letter === letterN) found.push({ code: 0x0a, end: at + 1 });
  if (letter === letterR) found.push({ code: 0x0d, end: at + 1 });
  const digits = letter === letterU ? 4 : letter === letterX ? 2 : 0;
  const code = digits === 0 ? undefined : hexAt(text, at + 1, digits);
  if (code !== undefined) found.push({ code, end: at + 1 + digits });
}

/** `unfinished` when the text ends among the digits, undefined when they are none. */
function hexAt(text: string, at: number, digits: number): number | undefined {
  let value = 0;
  for (let place = at; place < at + digits; place++) {
    if (place >= text.length) return unfinished;
    const digit = hexDigit(text.charCodeAt(place));
    if (digit === undefined) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  // With this bit a large letter is the small one.
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : undefined;
}

const entities: Readonly<Record<string, number>> = {
  amp: 0x26,
  lt: 0x3c,
  gt: 0x3e,
  quot: 0x22,
  apos: 0x27,
};
const longestEntity = 8;

function byEntity(text: string, at: number): readonly SpelledCharacter[] {
  const rest = text.slice(at + 1, at + 1 + longestEntity);
  const [, name = '', semicolon = ''] = /^(#?[0-9a-zA-Z]*)(;?)/.exec(rest) ?? [];
  const end = at + 1 + name.length + semicolon.length;
  if (semicolon === '') {
    const isCut = end === text.length && name.length < longestEntity;
    return isCut ? [{ code: unfinished, end }] : [];
  }
  const code = name.startsWith('#') ? numbered(name.slice(1)) : entities[name];
  return code === undefined ? [] : [{ code, end }];
}

function numbered(digits: string): number | undefined {
  if (/^[0-9]+$/.test(digits)) return Number(digits);
  return /^[xX][0-9a-fA-F]+$/.test(digits) ? Number.parseInt(digits.slice(1), 16) : undefined;
}
