/** Lines `KEY: value` in the body of a message to `__orchestrator__`. */
import { malformed, shown } from './fault.ts';

export type Fields = ReadonlyMap<string, string>;

interface FieldNames {
  /** A line each. */
  readonly lines: readonly string[];
  /** These go on until the next field. */
  readonly texts: readonly string[];
}

/** All fields of a body that has nothing else in it. */
export function readFields(kind: string, body: string, { lines, texts }: FieldNames): Fields {
  const names = [...lines, ...texts];
  const fields = new Map<string, string>();
  for (const { name, text, textStart } of pieces(body, names)) {
    if (fields.has(name)) throw twice(kind, name);
    const [line, after] = texts.includes(name) ? [text, ''] : cutLine(text);
    const stray = name === '' ? text : after;
    if (stray.trim() !== '') {
      const strayStart = textStart + text.length - stray.length;
      throw strayLine(kind, body, strayStart + blanksBefore(stray), names);
    }
    fields.set(name, line.trim());
  }
  for (const name of lines) checkOneLine(name, fields.get(name) ?? '');
  return fields;
}

interface Piece {
  /** Empty for what stands before the first field. */
  readonly name: string;
  readonly text: string;
  readonly textStart: number;
}

// One pattern over the whole, because a hostile body has a million lines. Names are in
// capitals only, so that a prompt may have a line "Name: …" in it.
function* pieces(body: string, names: readonly string[]): Generator<Piece> {
  let name = '';
  let textStart = 0;
  for (const field of body.matchAll(new RegExp(`(?:^|\\n)(${names.join('|')}):`, 'g'))) {
    yield { name, text: body.slice(textStart, field.index), textStart };
    name = field[1] ?? '';
    textStart = field.index + field[0].length;
  }
  yield { name, text: body.slice(textStart), textStart };
}

function blanksBefore(text: string): number {
  return text.length - text.trimStart().length;
}

/** The fields with which a body begins, and what follows them, without one blank line between. */
export function firstFields(
  kind: string,
  body: string,
  names: readonly string[],
): { readonly fields: Fields; readonly rest: string } {
  const fields = new Map<string, string>();
  let rest = body;
  for (;;) {
    const [line, after] = cutLine(rest);
    const name = fieldName(line, names);
    if (name === undefined) return { fields, rest: isEmpty(line) ? after : rest };
    if (fields.has(name)) throw twice(kind, name);
    fields.set(name, line.slice(name.length + 1).trim());
    rest = after;
  }
}

function cutLine(text: string): readonly [line: string, after: string] {
  const end = text.indexOf('\n');
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

function isEmpty(line: string): boolean {
  return line === '' || line === '\r';
}

function fieldName(line: string, names: readonly string[]): string | undefined {
  return names.find((name) => line.startsWith(name) && line[name.length] === ':');
}

function checkOneLine(name: string, value: string): void {
  if (!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) && value.isWellFormed()) return;
  throw malformed(
    `${name} is ${shown(value)}, which has a control character in it`,
    `Write ${name} in one line of plain text`,
  );
}

function twice(kind: string, name: string) {
  return malformed(`The body of a ${kind} message has ${name} twice`, `Write ${name} once`);
}

function strayLine(kind: string, body: string, start: number, names: readonly string[]) {
  const number = body.slice(0, start).split('\n').length;
  const [line] = cutLine(body.slice(start));
  return malformed(
    `Line ${number} of the body of a ${kind} message means nothing: ${shown(line)}`,
    `Write lines that begin with ${names.map((name) => `${name}:`).join(', ')}`,
  );
}
