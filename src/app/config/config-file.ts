/** `config.json` as text and as JSON. What its keys mean is config.ts's business. */
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

const limitBytes = 1024 * 1024;

/** The object that stands in the file; undefined when there is no file. */
export async function readConfigFile(
  view: DiskView,
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readText(view, path);
  return text === undefined ? undefined : parseObject(text, path);
}

async function readText(view: DiskView, path: string): Promise<string | undefined> {
  const bytes = await readBytes(view, path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed(`${quote(path)} is not UTF-8 text`, cause);
  }
}

async function readBytes(view: DiskView, path: string): Promise<Uint8Array | undefined> {
  try {
    if ((await view.stat(path)) === undefined) return undefined;
    return await readWholeFile(view, path, limitBytes);
  } catch (cause) {
    if (!(cause instanceof AosError)) throw cause;
    // No home, no file in it: what is wrong with the home is told by who needs it.
    if (cause.code === 'disk.not-a-folder') return undefined;
    const wrongFile = cause.code === 'disk.too-large' || cause.code === 'disk.not-a-file';
    throw new AosError(wrongFile ? 'config.malformed' : 'config.unreadable', {
      message: `The settings cannot be read. ${cause.message}`,
      fix: cause.fix,
      cause,
    });
  }
}

function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw malformed(`${quote(path)} is not valid JSON: ${placeIn(text, cause)}`, cause);
  }
  if (isObject(parsed)) return parsed;
  throw malformed(`${quote(path)} must hold one JSON object, such as {"diskWarnPercent": 70}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the mistake is. The engine tells of a wrong structure, not of a wrong word. */
function placeIn(text: string, cause: unknown): string {
  const told = /line (\d+) column (\d+)/.exec(String(cause));
  if (told !== null) return `look at line ${told[1]}, column ${told[2]}`;
  const good = longestRunOfTokens(text);
  if (good.length === text.length) return 'it ends too early';
  const lines = good.split('\n');
  return `look at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function longestRunOfTokens(text: string): string {
  const token = /\s+|[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b/y;
  let end = 0;
  while (token.test(text)) end = token.lastIndex;
  return text.slice(0, end);
}

function malformed(message: string, cause?: unknown): AosError {
  return new AosError('config.malformed', {
    message,
    fix: 'Mend the file; "aos config schema" prints what may stand in it',
    cause,
  });
}
