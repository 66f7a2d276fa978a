/** Messages as an agent of any language has them: files in its outbox and its inbox. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface FoundMessage {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function outboxOf(home: string, agent: string): string {
  return join(home, 'agents', agent, 'outbox');
}

export function inboxOf(home: string, agent: string): string {
  return join(home, 'agents', agent, 'inbox');
}

/** By the write protocol: `.pending`, flush, rename, flush the folder. Returns its name. */
export function putIntoOutbox(home: string, agent: string, text: string): string {
  const outbox = outboxOf(home, agent);
  mkdirSync(join(outbox, '.pending'), { recursive: true });
  const name = `${process.hrtime.bigint()}-${randomBytes(4).toString('hex')}.msg`;
  const pending = join(outbox, '.pending', name);
  const file = openSync(pending, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(pending, join(outbox, name));
  flushFolder(outbox);
  return name;
}

function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** What lies in the inbox, oldest first; nothing is read by that. */
export function lookIntoInbox(home: string, agent: string): FoundMessage[] {
  return namesIn(inboxOf(home, agent)).flatMap((name) => readFound(home, agent, name) ?? []);
}

/** Takes the messages away, one after another, as an agent reads. */
export function* takeFromInbox(home: string, agent: string): Generator<FoundMessage> {
  for (const name of namesIn(inboxOf(home, agent))) {
    const found = readFound(home, agent, name);
    if (found === undefined) continue;
    yield found;
    unlinkSync(join(inboxOf(home, agent), name));
  }
}

/** The names of the messages in a folder, in their order; none where it is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.msg'))
      .sort(byStamp);
  } catch (failure) {
    if (isMissing(failure)) return [];
    throw failure;
  }
}

// Undefined when the relay took it back meanwhile, as it does with what has expired.
export function readFound(home: string, agent: string, name: string): FoundMessage | undefined {
  try {
    return { name, ...parseFound(readFileSync(join(inboxOf(home, agent), name), 'utf8')) };
  } catch (failure) {
    if (isMissing(failure)) return undefined;
    throw failure;
  }
}

function parseFound(text: string): Omit<FoundMessage, 'name'> {
  const end = text.indexOf('\n\n');
  if (end === -1) throw new Error(`half a message: ${JSON.stringify(text)}`);
  const headers = text
    .slice(0, end)
    .split('\n')
    .map((line) => line.split(': ', 2));
  return { headers: Object.fromEntries(headers), body: text.slice(end + 2) };
}

function byStamp(one: string, other: string): number {
  const [left, right] = [one, other].map((name) => BigInt(name.split('-')[0] ?? '0'));
  return left === right ? 0 : (left ?? 0n) < (right ?? 0n) ? -1 : 1;
}

function isMissing(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
}
