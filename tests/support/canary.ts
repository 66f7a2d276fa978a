/** A value that nobody may see, and where it, or any usual form of it, can be found. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** With characters that every encoding changes. */
export function newCanary(): string {
  return `cnry-${randomBytes(15).toString('base64url')}+/=&"%\\ ${randomBytes(6).toString('hex')}`;
}

// What is left of it when something was cut must not be worth anything either.
const partLength = 12;

/** By name, as anybody may write it. */
export function formsOf(canary: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(canary);
  const url = encodeURIComponent(canary);
  const all = new Map([
    ['exact', canary],
    ['in JSON', JSON.stringify(canary).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(canary)).slice(3, -3)],
    ['for a url', url],
    ['for a url, in small letters', url.replaceAll(/%../g, (code) => code.toLowerCase())],
    ['for a form', url.replaceAll('%20', '+')],
    ['in hex', bytes.toString('hex')],
    ['in HEX', bytes.toString('hex').toUpperCase()],
    ['its beginning', canary.slice(0, partLength)],
    ['its end', canary.slice(-partLength)],
  ]);
  for (const before of [0, 1, 2]) {
    // Behind that many bytes; what the neighbours also decide is left off.
    const packed = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const inner = packed.slice(before === 0 ? 0 : 4, -4);
    all.set(`in base64 behind ${before}`, inner);
    const safe = inner.replaceAll('+', '-').replaceAll('/', '_');
    if (safe !== inner) all.set(`in base64url behind ${before}`, safe);
  }
  return all;
}

/** Which forms of it are in there. */
export function formsIn(canary: string, content: string | Uint8Array): readonly string[] {
  const bytes = Buffer.from(content);
  return [...formsOf(canary)].filter(([, form]) => bytes.includes(form)).map(([name]) => name);
}

/** Every file below the folder that holds one, but for those left out, as `path: form`. */
export function filesWith(
  canary: string,
  folder: string,
  leftOut: (path: string) => boolean = () => false,
): readonly string[] {
  return pathsBelow(folder).flatMap((path) => {
    if (leftOut(path)) return [];
    const bytes = unlessGone(() => [readFileSync(path)]);
    const forms = bytes.flatMap((content) => formsIn(canary, content));
    return forms.map((form) => `${path.slice(folder.length)}: ${form}`);
  });
}

/** Every file below it, also while a daemon makes and removes some. */
export function pathsBelow(folder: string): readonly string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true }));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pathsBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Nothing where the file or folder is not there any more. */
export function unlessGone<T>(look: () => readonly T[]): readonly T[] {
  try {
    return look();
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return [];
    throw failure;
  }
}

/** The environment, the command line and the threads' names of a process and its children. */
export function seenFromOutside(pid: number): string {
  const pids = [pid, ...childrenOf(pid)];
  return pids
    .flatMap((each) =>
      ['environ', 'cmdline', 'comm', 'status'].map((what) => `/proc/${each}/${what}`),
    )
    .map((path) => readOrNothing(path))
    .join('\n');
}

function childrenOf(pid: number): readonly number[] {
  const text = readOrNothing(`/proc/${pid}/task/${pid}/children`).trim();
  const direct = text === '' ? [] : text.split(' ').map(Number);
  return direct.flatMap((child) => [child, ...childrenOf(child)]);
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
