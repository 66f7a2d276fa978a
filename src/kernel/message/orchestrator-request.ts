/** What the body of a message to `__orchestrator__` asks for. */
import { checkAgentName } from '../agent/agent.ts';
import { isWithheld } from '../agent/program.ts';
import { AosError } from '../errors.ts';
import { must } from '../must.ts';
import { didYouMean } from '../text/suggest.ts';
import { type MessageKind, malformed, shown } from './message.ts';

export type OrchestratorRequest = SpawnRequest | ReleaseRequest | ContinuityRequest | StatusReport;

export interface SpawnRequest {
  readonly kind: 'spawn';
  readonly name: string;
  /** The program that the agent runs as, such as `claude`. */
  readonly cli: string;
  readonly prompt?: string | undefined;
  /** Absolute. */
  readonly workingDir?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

export interface ReleaseRequest {
  readonly kind: 'release';
  readonly name: string;
  readonly reason?: string | undefined;
}

export interface ContinuityRequest {
  readonly kind: 'continuity';
  readonly action: 'save' | 'load';
  readonly key: string;
  /** Byte for byte as it was sent; empty in a load. */
  readonly state: string;
}

const agentStatuses = ['active', 'inactive', 'terminated'] as const;

export interface StatusReport {
  readonly kind: 'status';
  readonly status?: (typeof agentStatuses)[number] | undefined;
  readonly text: string;
}

/** Throws `message.malformed` for what `__orchestrator__` cannot do. */
export function parseOrchestratorRequest(kind: MessageKind, body: string): OrchestratorRequest {
  switch (kind) {
    case 'spawn':
      return parseSpawn(body);
    case 'release':
      return parseRelease(body);
    case 'continuity':
      return parseContinuity(body);
    case 'status':
      return parseStatus(body);
    default:
      throw malformed(
        `__orchestrator__ does not take messages of the kind ${kind}`,
        'Write KIND: spawn, release, continuity or status, or send the message to somebody else',
      );
  }
}

function parseSpawn(body: string): SpawnRequest {
  const fields = readFields('spawn', body, {
    lines: ['NAME', 'CLI', 'WORKING_DIR', 'ENV'],
    texts: ['PROMPT'],
  });
  return {
    kind: 'spawn',
    name: agentName('spawn', fields),
    cli: required('spawn', fields, 'CLI', 'CLI: claude'),
    prompt: fields.get('PROMPT') || undefined,
    workingDir: workingDir(fields.get('WORKING_DIR')),
    env: environment(fields.get('ENV') ?? ''),
  };
}

function parseRelease(body: string): ReleaseRequest {
  const fields = readFields('release', body, { lines: ['NAME'], texts: ['REASON'] });
  return {
    kind: 'release',
    name: agentName('release', fields),
    reason: fields.get('REASON') || undefined,
  };
}

function agentName(kind: string, fields: Fields): string {
  const name = required(kind, fields, 'NAME', 'NAME: worker-1');
  try {
    checkAgentName(name);
  } catch (cause) {
    if (!(cause instanceof AosError)) throw cause;
    throw malformed(cause.message, cause.fix ?? 'Choose another name', cause);
  }
  return name;
}

function required(kind: string, fields: Fields, name: string, example: string): string {
  const value = fields.get(name);
  if (value !== undefined && value !== '') return value;
  throw malformed(`The body of a ${kind} message needs ${name}`, `Write a line ${example}`);
}

function workingDir(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (!path.startsWith('/')) {
    throw malformed(
      `WORKING_DIR is ${shown(path)}, and has to be an absolute path`,
      'Write the whole path, as WORKING_DIR: /home/me/project, or leave the line out',
    );
  }
  // Who may work where is decided by the path, so it says plainly where it leads.
  if (path.split('/').includes('..')) {
    throw malformed(
      `WORKING_DIR is ${shown(path)}, which leads upward with ".."`,
      'Write the path without ".."',
    );
  }
  return path;
}

function environment(text: string): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split(',')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    checkVariable(name, pair);
    if (pairs.has(name)) {
      throw malformed(`ENV sets ${shown(name)} twice`, 'Set each variable once');
    }
    pairs.set(name, pair.slice(equals + 1).trim());
  }
  return Object.fromEntries(pairs);
}

function checkVariable(name: string, pair: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(name)) {
    throw malformed(
      `ENV has ${shown(pair)} in it, which sets no variable`,
      'Write ENV: KEY1=value1,KEY2=value2; a value cannot have a comma in it',
    );
  }
  if (isWithheld(name)) {
    throw malformed(
      `ENV sets ${shown(name)}, which no message may set`,
      'Leave out PATH and whatever begins with LD_, NODE_ or AOS_',
    );
  }
}

function parseContinuity(body: string): ContinuityRequest {
  const { fields, rest } = firstFields('continuity', body, ['ACTION', 'KEY']);
  const action = required('continuity', fields, 'ACTION', 'ACTION: save, or ACTION: load');
  const key = fields.get('KEY') ?? 'state';
  if (action !== 'save' && action !== 'load') {
    throw malformed(
      `ACTION is ${shown(action)}, and has to be save or load.${didYouMean(action, ['save', 'load'])}`,
      'Write a line ACTION: save, or ACTION: load',
    );
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(key)) {
    throw malformed(
      `KEY is ${shown(key)}, and has to be a letter or digit and at most 99 more of these, ".", "_" and "-"`,
      'Write a line KEY: state, or leave it out',
    );
  }
  if (action === 'load' && rest.trim() !== '') {
    throw malformed(
      `A load has no state, and this one has ${shown(rest)}`,
      'Write ACTION: save to save it, or leave it out',
    );
  }
  return { kind: 'continuity', action, key, state: action === 'load' ? '' : rest };
}

/** The first line is one of the three words, alone or after `STATUS:`; or it is any text. */
function parseStatus(body: string): StatusReport {
  const text = body.trim();
  const firstLine = must(text.split('\n', 1)[0], 'the first line');
  const marked = firstLine.startsWith('STATUS:');
  const word = (marked ? firstLine.slice('STATUS:'.length) : firstLine).trim();
  const status = agentStatuses.find((one) => one === word);
  if (marked && status === undefined) {
    throw malformed(
      `STATUS is ${shown(word)}, and has to be active, inactive or terminated.${didYouMean(word, agentStatuses)}`,
      'Write STATUS: active, or the text without STATUS:',
    );
  }
  return { kind: 'status', status, text };
}

/** Lines `KEY: value` in the body of a message to `__orchestrator__`. */
type Fields = ReadonlyMap<string, string>;

interface FieldNames {
  /** A line each. */
  readonly lines: readonly string[];
  /** These go on until the next field. */
  readonly texts: readonly string[];
}

/** All fields of a body that has nothing else in it. */
function readFields(kind: string, body: string, { lines, texts }: FieldNames): Fields {
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

interface FieldPiece {
  /** Empty for what stands before the first field. */
  readonly name: string;
  readonly text: string;
  readonly textStart: number;
}

// One pattern over the whole, because a hostile body has a million lines. Names are in
// capitals only, so that a prompt may have a line "Name: …" in it.
function* pieces(body: string, names: readonly string[]): Generator<FieldPiece> {
  let name = '';
  let textStart = 0;
  for (const field of body.matchAll(new RegExp(`(?:^|\\n)(${names.join('|')}):`, 'g'))) {
    yield { name, text: body.slice(textStart, field.index), textStart };
    name = must(field[1], 'the name of a field');
    textStart = field.index + field[0].length;
  }
  yield { name, text: body.slice(textStart), textStart };
}

function blanksBefore(text: string): number {
  return text.length - text.trimStart().length;
}

/** The fields with which a body begins, and what follows them, without one blank line between. */
function firstFields(
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
