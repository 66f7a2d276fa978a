/**
 * What a photo says of itself. The file may say anything: what is no date, or no number, is left
 * out, and nothing it says is taken for more than words.
 */
import type { FileNature } from '../../kernel/files/look.ts';
import { must } from '../../kernel/must.ts';
import type { Instant, TimeZone, WallTime } from '../../kernel/ports.ts';
import { readHead } from './file-content.ts';

/** What cameras write lies at the beginning. */
const headBytes = 256 * 1024;

export interface Photo {
  readonly takenAt?: Instant | undefined;
  readonly says?: FileNature['photo'];
}

const photoTypes = /^image\/(?:jpeg|png|tiff|hei[cf]|avif|x-(?:adobe|canon|nikon|sony|pentax)-)/;

/** Whether a file of that type may say when it was taken. */
export function isPhotoType(type: string): boolean {
  return photoTypes.test(type);
}

export async function readPhoto(path: string, zone: TimeZone): Promise<Photo> {
  const head = readHead(path, headBytes);
  if (head === undefined || head.length < 16) return {};
  const tags = await tagsOf(head);
  return { takenAt: takenAt(tags, zone), says: saysOf(tags) };
}

type Tags = Readonly<Record<string, unknown>>;

const pick = [
  ...['DateTimeOriginal', 'CreateDate', 'OffsetTimeOriginal', 'OffsetTimeDigitized', 'OffsetTime'],
  ...['Make', 'Model', 'LensModel', 'ExifImageWidth', 'ExifImageHeight', 'ISO', 'FNumber'],
  ...['GPSLatitude', 'GPSLatitudeRef', 'GPSLongitude', 'GPSLongitudeRef'],
];

async function tagsOf(head: Uint8Array): Promise<Tags> {
  // Loaded when a photo is first asked for.
  const { default: exifr } = await import('exifr');
  try {
    return (await exifr.parse(head, { pick, reviveValues: false })) ?? {};
  } catch {
    // Whatever it stumbled over: this is no photo that says something.
    return {};
  }
}

function takenAt(tags: Tags, zone: TimeZone): Instant | undefined {
  const original = wallTimeOf(tags['DateTimeOriginal']);
  const time = original ?? wallTimeOf(tags['CreateDate']);
  if (time === undefined) return undefined;
  const offset = original === undefined ? tags['OffsetTimeDigitized'] : tags['OffsetTimeOriginal'];
  const offsetMs = offsetOf(offset ?? tags['OffsetTime']);
  return offsetMs === undefined ? zone.instantOf(time) : utcOf(time) - offsetMs;
}

/** `2024:05:06 07:08:09`; a camera whose clock was never set writes zeros. */
function wallTimeOf(text: unknown): WallTime | undefined {
  if (typeof text !== 'string') return undefined;
  const found = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d):(\d\d)/.exec(text);
  if (found === null) return undefined;
  const part = (index: number): number => Number(must(found[index], 'a part of the time'));
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const time = { year: part(1), month: part(2), day: part(3), hour, minute, second };
  // What is no day of the calendar would turn into another one.
  const same = new Date(utcOf(time))
    .toISOString()
    .startsWith(text.slice(0, 10).replaceAll(':', '-'));
  return time.year > 0 && hour < 24 && minute < 60 && second < 60 && same ? time : undefined;
}

function utcOf({ year, month, day, hour, minute, second }: WallTime): Instant {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const minuteMs = 60_000;

/** `+02:00` */
function offsetOf(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

const longestWord = 100;

function saysOf(tags: Tags): FileNature['photo'] {
  const words = (name: string) => wordOf(tags[name]);
  const number = (name: string) => numberOf(tags[name]);
  const camera = [words('Make'), words('Model')].filter((word) => word !== undefined).join(' ');
  const said = {
    ...{ camera: camera === '' ? undefined : camera, lens: words('LensModel') },
    ...{ width: number('ExifImageWidth'), height: number('ExifImageHeight') },
    ...{ iso: number('ISO'), aperture: number('FNumber') },
    ...{ latitude: number('latitude'), longitude: number('longitude') },
  };
  const there = Object.entries(said).filter((entry) => entry[1] !== undefined);
  // What was undefined is filtered out.
  return there.length === 0 ? undefined : (Object.fromEntries(there) as FileNature['photo']);
}

function wordOf(value: unknown): string | undefined {
  const word = typeof value === 'string' ? value.replaceAll('\0', '').trim() : '';
  return word === '' ? undefined : word.slice(0, longestWord);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
