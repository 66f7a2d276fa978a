/** What the trash of a desktop keeps beside each thing in it: where it was, and since when. */
import type { Instant, TimeZone } from '../../kernel/ports.ts';

export interface TrashInfo {
  /** As it is written there: from the root, or from the top of the disk that the trash is on. */
  readonly path: string;
  /** In the time of the place; undefined where it says none. */
  readonly deletedAt: Instant | undefined;
}

export function printTrashInfo(zone: TimeZone, path: string, at: Instant): string {
  const { year, month, day, hour, minute, second } = zone.wallTimeAt(at);
  const date = [String(year).padStart(4, '0'), two(month), two(day)].join('-');
  const time = [hour, minute, second].map(two).join(':');
  return `[Trash Info]\nPath=${encodePath(path)}\nDeletionDate=${date}T${time}\n`;
}

/** Undefined where it is none. Lines that others add are passed over. */
export function parseTrashInfo(zone: TimeZone, text: string): TrashInfo | undefined {
  const lines = text.split('\n');
  if (lines[0]?.trim() !== '[Trash Info]') return undefined;
  const value = (key: string) =>
    lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);
  const path = decodePath(value('Path') ?? '');
  if (path === undefined || path === '') return undefined;
  return { path, deletedAt: momentOf(zone, value('DeletionDate') ?? '') };
}

function momentOf(zone: TimeZone, text: string): Instant | undefined {
  const numbers = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)/
    .exec(text)
    ?.slice(1)
    .map(Number);
  if (numbers === undefined) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  return zone.instantOf({ year, month, day, hour, minute, second });
}

/** Bytes that are no UTF-8 are half characters in memory, and written as what they are. */
function encodePath(path: string): string {
  return Array.from(path, (character) => {
    const code = character.charCodeAt(0);
    const isByte = character.length === 1 && code >= 0xdc80 && code <= 0xdcff;
    if (isByte) return percent(code - 0xdc00);
    return character === '/' ? '/' : encodeURIComponent(character);
  }).join('');
}

function decodePath(text: string): string | undefined {
  const bytes: number[] = [];
  for (let place = 0; place < text.length; place++) {
    const code = /^%[0-9A-Fa-f]{2}/.exec(text.slice(place, place + 3))?.[0];
    if (code === undefined) bytes.push(...Buffer.from(text.charAt(place)));
    else {
      bytes.push(Number.parseInt(code.slice(1), 16));
      place += 2;
    }
  }
  const decoded = Buffer.from(bytes).toString();
  // Only what can be told from its bytes alone; the few others are left where they are.
  return Buffer.from(decoded).equals(Buffer.from(bytes)) ? decoded : undefined;
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
