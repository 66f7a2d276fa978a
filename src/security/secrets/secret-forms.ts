/**
 * What is looked for to find a secret: its value and what in it is worth something alone,
 * each as text, as hex, as UTF-16 and in base64. How single characters may be written
 * besides is in spelling.ts.
 *
 * S1. Whatever is a form of its own can be told from other texts by a reader that sees what
 *     becomes of them. So no mere word of a value is one: only what stands behind the word
 *     that names a scheme, and the credentials in it.
 * S2. At no place in a text do more than `mostBeginnings` beginnings of one form end, or a
 *     text would be gone through again and again. A form with more of them is looked for in
 *     pieces, which together are all of it.
 */
import { must } from '../../kernel/must.ts';

/** How the characters of a form may stand in a text. */
export interface Writing {
  /** By code: the character in the form that this one is taken for. */
  readonly takenFor: Uint8Array;
  /** What may stand between two characters and means nothing there. */
  readonly gaps: ReadonlySet<number>;
}

/** A row of characters to be found. */
export interface Form {
  /** Of the secret. */
  readonly name: string;
  readonly writing: Writing;
  readonly codes: Uint8Array;
}

/** What is shorter is found in ordinary words too. */
export const shortestSecret = 8;

export interface SecretText {
  readonly name: string;
  readonly value: string;
  /** What stands before the value where it is used. */
  readonly prefix: string;
}

export function formsOf(secret: SecretText): readonly Form[] {
  return [...textsOf(secret)].flatMap((text) => formsOfText(secret.name, text));
}

function textsOf({ value, prefix }: SecretText): ReadonlySet<string> {
  const texts = [
    value,
    ...behindScheme(value),
    ...credentialsIn(prefix + value),
    ...credentialsIn(value),
  ];
  return new Set(texts.filter((text) => text.length >= shortestSecret && isAscii(text)));
}

const schemes = [
  ...['basic', 'bearer', 'bot', 'dpop', 'jwt', 'key', 'negotiate', 'ntlm', 'oauth', 'token'],
  ...['api[-_]?key', 'access[-_]?token', 'private[-_]?token', 'geniekey', 'splunk', 'ssws'],
].join('|');
const schemeAndRest = new RegExp(`^(?:[\\w-]+: *)?(?:${schemes}):? +(\\S+)$`, 'i');

// S1
function behindScheme(value: string): readonly string[] {
  const [, rest] = schemeAndRest.exec(value) ?? [];
  return rest === undefined ? [] : [rest];
}

/** `Basic` and base64 hide a name and a password, of which the latter is the secret. */
function credentialsIn(header: string): readonly string[] {
  const base64 = /^basic +(\S+)$/i.exec(header)?.[1];
  if (base64 === undefined) return [];
  const pair = Buffer.from(base64, 'base64').toString();
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

const lineEnds = '\n\r';
const asText = writing({ same: [['+', ' ']], gaps: '' });
const asHex = writing({
  same: Array.from('ABCDEF', (digit) => [digit, digit.toLowerCase()] as const),
  gaps: `${lineEnds} :`,
});
const asBase64 = writing({
  same: [
    ['-', '+'],
    ['_', '/'],
  ],
  gaps: lineEnds,
});

interface WritingRules {
  readonly same: readonly (readonly [string, string])[];
  readonly gaps: string;
}

function writing({ same, gaps }: WritingRules): Writing {
  const takenFor = Uint8Array.from({ length: 128 }, (_, code) => code);
  for (const [one, other] of same) takenFor[one.charCodeAt(0)] = other.charCodeAt(0);
  return { takenFor, gaps: new Set(Buffer.from(gaps)) };
}

function formsOfText(name: string, text: string): readonly Form[] {
  // In either order of the bytes: what is left of the ends is a zero.
  const utf16 = Array.from(text).join('\0');
  return [
    ...forms(name, asText, text),
    ...forms(name, asText, utf16),
    ...forms(name, asHex, Buffer.from(text).toString('hex')),
    ...[0, 1, 2].flatMap((bytesBefore) => forms(name, asBase64, base64Within(text, bytesBefore))),
  ];
}

/**
 * Within a longer base64, that many bytes after the beginning of a group. Of the characters
 * at the ends, those that also hold bits of the neighbours are left off.
 */
function base64Within(text: string, bytesBefore: number): string {
  const bytes = Buffer.concat([Buffer.alloc(bytesBefore), Buffer.from(text)]);
  const first = Math.ceil((bytesBefore * 8) / 6);
  const behind = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(first, behind);
}

function forms(name: string, writing: Writing, text: string): readonly Form[] {
  const whole = Uint8Array.from(Buffer.from(text), (code) => writing.takenFor[code] ?? code);
  return inPieces(whole).map((codes) => ({ name, writing, codes }));
}

// More than the zeros, in digits or in base64, with which tokens begin in earnest.
const mostBeginnings = 32;

// S2
function inPieces(codes: Uint8Array): readonly Uint8Array[] {
  if (!hasManyBeginnings(codes)) return [codes];
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < codes.length; start += mostBeginnings) {
    // The last one is as long as the others.
    const end = Math.min(start + mostBeginnings, codes.length);
    pieces.push(codes.subarray(end - mostBeginnings, end));
  }
  return pieces;
}

function hasManyBeginnings(codes: Uint8Array): boolean {
  // Of as much of the form: the longest shorter beginning with which that ends, and how many
  // such there are.
  const longest = new Uint32Array(codes.length + 1);
  const count = new Uint32Array(codes.length + 1);
  let length = 0;
  for (let end = 1; end < codes.length; end++) {
    while (length > 0 && codes[length] !== codes[end]) length = at(longest, length);
    if (codes[length] === codes[end]) length++;
    longest[end + 1] = length;
    count[end + 1] = length === 0 ? 0 : at(count, length) + 1;
    if (at(count, end + 1) >= mostBeginnings) return true;
  }
  return false;
}

function at(numbers: Uint32Array, index: number): number {
  return must(numbers[index], 'a number about a beginning');
}
