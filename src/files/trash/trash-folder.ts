/**
 * Which trash takes a file: that of the person, or, for what lies on another disk, the one at the
 * top of that disk. Nothing is moved between disks to be thrown away.
 */
import { ensureFolder } from '../../kernel/disk/folders.ts';
import { AosError } from '../../kernel/errors.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import type { Disk, HeldFolder } from '../../kernel/ports.ts';
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
    // Whoever made it for us could read and take away what we throw into it.
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
