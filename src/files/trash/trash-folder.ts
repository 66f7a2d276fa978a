/**
 * Which trash takes a file: that of the person, or, for what lies on another disk, the one at the
 * top of that disk. Nothing is moved between disks to be thrown away.
 */
import { ensureFolder } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import type { Disk, HeldFolder, Instant, TimeZone } from '../../kernel/ports.ts';
import type { FilesDeps } from '../deps.ts';
import { partsOf } from '../paths.ts';
import { plainerIfNoRoom } from '../refusals.ts';

export interface TrashFolder extends AsyncDisposable {
  /** The real path of the trash. */
  readonly path: string;
  readonly files: HeldFolder;
  readonly info: HeldFolder;
  /** What the paths in it begin from; nothing for the trash of the person. */
  readonly top: string;
}

/** `device` is that of what is thrown away, `path` where it lies. */
export async function openTrashFor(
  deps: Pick<FilesDeps, 'disk' | 'trash' | 'uid'>,
  path: string,
  device: string,
): Promise<TrashFolder> {
  const { disk, uid } = deps;
  const own = await openTrash(deps, deps.trash, '');
  if (own.files.device === device) return own;
  await own[Symbol.asyncDispose]();
  const top = await topOfDisk(disk, partsOf(path), device);
  return openTrash(deps, trashAtTop(top, uid), top);
}

/** Where a desktop keeps what was thrown away on a disk that is mounted at `top`. */
export function trashAtTop(top: string, uid: number): string {
  return `${top === '/' ? '' : top}/.Trash-${uid}`;
}

/** No symlink may stand in for it, or what is thrown away ends elsewhere: nothing is made behind one. */
export async function openTrash(
  { disk, uid }: Pick<FilesDeps, 'disk' | 'uid'>,
  path: string,
  top: string,
): Promise<TrashFolder> {
  try {
    await using opened = new AsyncDisposableStack();
    const trash = opened.use(await holdOrMake(disk, partsOf(path)));
    const files = opened.use(await holdOrMakeIn(disk, trash, 'files'));
    const info = opened.use(await holdOrMakeIn(disk, trash, 'info'));
    // A user who made it for us could read and take away what we throw into it.
    if ([trash, files, info].some(({ ownerUid }) => ownerUid !== uid)) throw notOurs();
    const kept = opened.move();
    return { path, files, info, top, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  } catch (failure) {
    // What the disk lacks is no fault of the trash.
    if (failure instanceof AosError && failure.code === 'disk.full') {
      throw plainerIfNoRoom(failure);
    }
    throw new AosError('files.no-trash', {
      message: 'There is no trash that could take it, so I leave it where it is',
      fix: 'Make the folder of the trash writable, or delete it for ever: options.permanent',
      cause: failure,
    });
  }
}

function notOurs(): AosError {
  return new AosError('files.no-trash', { message: 'The trash belongs to somebody else' });
}

/** The folders of a desktop that was never started are not there yet. */
async function holdOrMake(disk: Disk, parts: readonly string[]): Promise<HeldFolder> {
  let folder = await disk.holdFolder('/');
  for (const name of parts) {
    await using above = folder;
    folder = await holdOrMakeIn(disk, above, name);
  }
  return folder;
}

async function holdOrMakeIn(disk: Disk, above: HeldFolder, name: string): Promise<HeldFolder> {
  const entry = `${above.path}/${name}`;
  if ((await disk.stat(entry)) === undefined) await ensureFolder(disk, entry);
  return disk.holdFolder(entry);
}

/** The highest folder on the way that is on this disk. */
async function topOfDisk(disk: Disk, parts: readonly string[], device: string): Promise<string> {
  let top = printFilePath(parts.slice(0, -1));
  for (let length = parts.length - 1; length >= 0; length--) {
    const folder = printFilePath(parts.slice(0, length));
    if ((await disk.stat(folder))?.device !== device) break;
    top = folder;
  }
  return top;
}

interface TrashInfo {
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
