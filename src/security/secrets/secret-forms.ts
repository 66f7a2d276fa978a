/**
 * What is looked for to find a secret: its value and those parts of it that are worth
 * something alone, each as text, as hex, as UTF-16 and in base64. How single characters
 * may be written besides is in spelling.ts.
 */

/** A row of characters, of which each may be one of two. */
export interface Form {
  /** Of the secret. */
  readonly name: string;
  readonly either: Uint8Array;
  readonly or: Uint8Array;
  /** What may stand between two characters and means nothing there. */
  readonly gaps: ReadonlySet<number>;
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
  const parts = value.split(/\s+/);
  const texts = [value, ...parts, ...credentialsIn(prefix + value), ...credentialsIn(value)];
  return new Set(texts.filter((text) => text.length >= shortestSecret && isAscii(text)));
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

const noGaps: ReadonlySet<number> = new Set();
const lineEnds = [0x0a, 0x0d];
const hexGaps: ReadonlySet<number> = new Set([...lineEnds, 0x20, 0x3a]);
const base64Gaps: ReadonlySet<number> = new Set(lineEnds);

function formsOfText(name: string, text: string): readonly Form[] {
  const hex = Buffer.from(text).toString('hex');
  // In either order of the bytes: what is left of the ends is a zero.
  const utf16 = Array.from(text).join('\0');
  return [
    form(name, text, text.replaceAll(' ', '+'), noGaps),
    form(name, utf16, utf16, noGaps),
    form(name, hex, hex.toUpperCase(), hexGaps),
    ...[0, 1, 2].map((bytesBefore) => base64Form(name, text, bytesBefore)),
  ];
}

/**
 * Within a longer base64, that many bytes after the beginning of a group. Of the characters
 * at the ends, those that also hold bits of the neighbours are left off.
 */
function base64Form(name: string, text: string, bytesBefore: number): Form {
  const bytes = Buffer.concat([Buffer.alloc(bytesBefore), Buffer.from(text)]);
  const first = Math.ceil((bytesBefore * 8) / 6);
  const behind = Math.floor((bytes.length * 8) / 6);
  const standard = bytes.toString('base64').slice(first, behind);
  return form(name, standard, standard.replaceAll('+', '-').replaceAll('/', '_'), base64Gaps);
}

function form(name: string, either: string, or: string, gaps: ReadonlySet<number>): Form {
  return { name, either: Buffer.from(either), or: Buffer.from(or), gaps };
}
