/**
 * The way to a file, in folders where somebody else may swap things meanwhile.
 *
 * W1. Each folder is opened from the one before it, which is held, and never through a
 *     symlink. Whatever takes a name later, the way does not lead there.
 * W2. A symlink is read and not followed: what it says takes its place, and the way is walked
 *     again from the root. After 40 of them it is taken for a circle.
 * W3. Before anything is looked at where a symlink leads, it is asked whether the caller may
 *     do there what they came for. Who may not does not learn whether something is there.
 * W4. Beyond the parts that the grant names, the disk stays the same: what is mounted there
 *     is not what somebody had in mind who wrote a star.
 *
 * A weaker form where the system has no paths into a held folder (macOS): there, names are
 * looked up again at each step, and whoever swaps a folder in that moment can lead astray.
 */
import { diskError } from '../../kernel/disk-errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { deedOfParts } from '../../kernel/file-deed.ts';
import { parseFilePath, printFilePath } from '../../kernel/file-path.ts';
import type { Disk, FileReader, HeldFolder } from '../../kernel/ports.ts';
import { quote } from '../../kernel/quote.ts';
import type { Permit } from '../../security/permit.ts';
import type { ToolCall } from '../../tools/tool.ts';
import type { FileDeps } from './deps.ts';
import type { FileAction } from './file-deed.ts';
import { toFileError } from './file-errors.ts';
import { placesOn, withoutUp, withTarget } from './link-target.ts';
import { openOrReadLink } from './open-or-read-link.ts';

const mostTurns = 40;

export interface Way {
  readonly path: string;
  readonly action: FileAction;
  /** What the call is allowed to do there. */
  readonly permit: Permit;
}

/** Where a way has led. Whoever gets it closes it. */
export interface Place<Found> extends AsyncDisposable {
  /** Without symlinks. */
  readonly path: string;
  readonly folder: HeldFolder;
  /** The last name, in the held folder. */
  readonly entry: string;
  readonly permit: Permit;
  /** What `open` gave. */
  readonly found: Found;
}

/**
 * Walks to the folder of a path and opens the last name there. Where that turns out to be a
 * symlink, the way goes on behind it. What was opened is not used before it is permitted.
 */
export async function walkTo<Found extends FileReader | undefined>(
  deps: Pick<FileDeps, 'disk' | 'home'>,
  call: ToolCall,
  way: Way,
  open: (entry: string) => Promise<Found>,
): Promise<Place<Found>> {
  let parts = parseFilePath(way.path);
  for (let turns = 0; turns <= mostTurns; turns++) {
    call.signal.throwIfAborted();
    const step = await named(parts, () => walkOnce(deps.disk, parts, open));
    if (step.kind === 'arrived') return permitted(deps, call, way, step);
    parts = step.parts;
    // W3
    for (const place of placesOn(parts)) {
      const deed = deedOfParts(deps.home, place, way.action);
      if (!(await call.may(deed))) await call.permit(deed);
    }
  }
  throw new AosError('file.missing', {
    message: `${quote(way.path)} leads over more than ${mostTurns} symlinks`,
    fix: 'Name the file by its path without symlinks',
  });
}

type Step<Found> = Arrived<Found> | Turn;

interface Arrived<Found> {
  readonly kind: 'arrived';
  readonly parts: readonly string[];
  readonly folder: HeldFolder;
  readonly entry: string;
  readonly found: Found;
  /** The folder, and what was found. */
  readonly open: AsyncDisposableStack;
  /** Of the root and of each folder on the way. */
  readonly devices: readonly string[];
}

/** W2: this is to be walked instead. */
interface Turn {
  readonly kind: 'turn';
  readonly parts: readonly string[];
}

async function walkOnce<Found extends FileReader | undefined>(
  disk: Disk,
  parts: readonly string[],
  open: (entry: string) => Promise<Found>,
): Promise<Step<Found>> {
  const up = parts.indexOf('..');
  const held = await holdFolders(disk, parts.slice(0, up === -1 ? -1 : up));
  if ('target' in held) return turn(withTarget(parts, held.index, held.target));
  await using stack = new AsyncDisposableStack();
  stack.use(held.folder);
  if (up !== -1) return turn(withoutUp(parts, up));
  const name = parts.at(-1);
  if (name === undefined) throw diskError('EISDIR', '/');
  const entry = `${held.folder.path}/${name}`;
  const last = await openOrReadLink(disk, entry, 'file', open);
  if ('target' in last) return turn(withTarget(parts, parts.length - 1, last.target));
  stack.use(last.opened);
  return { kind: 'arrived', parts, ...held, entry, found: last.opened, open: stack.move() };
}

function turn(parts: readonly string[]): Turn {
  return { kind: 'turn', parts };
}

interface HeldFolders {
  /** The last one; those before it are closed again. */
  readonly folder: HeldFolder;
  readonly devices: readonly string[];
}

/** W1 */
async function holdFolders(
  disk: Disk,
  names: readonly string[],
): Promise<HeldFolders | { readonly index: number; readonly target: string }> {
  let folder = await disk.holdFolder('/');
  const devices = [folder.device];
  for (const [index, name] of names.entries()) {
    await using held = folder;
    const next = await openOrReadLink(disk, `${held.path}/${name}`, 'folder', (path) =>
      disk.holdFolder(path),
    );
    if ('target' in next) return { index, target: next.target };
    folder = next.opened;
    devices.push(folder.device);
  }
  return { folder, devices };
}

async function permitted<Found extends FileReader | undefined>(
  { home }: Pick<FileDeps, 'home'>,
  call: ToolCall,
  way: Way,
  { parts, folder, entry, found, open, devices }: Arrived<Found>,
): Promise<Place<Found>> {
  await using stack = open;
  const path = printFilePath(parts);
  const permit =
    path === way.path ? way.permit : await call.permit(deedOfParts(home, parts, way.action));
  const identity = await found?.identity();
  checkDisks(path, identity === undefined ? devices : [...devices, identity.device], permit);
  const kept = stack.move();
  return { path, folder, entry, permit, found, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** W4 */
function checkDisks(path: string, devices: readonly string[], { namedParts }: Permit): void {
  const beyond = devices.slice(namedParts);
  if (beyond.every((device) => device === beyond[0])) return;
  throw new AosError('file.other-disk', {
    message: `The way to ${quote(path)} leads onto another disk, and the grant does not name it`,
    fix: 'Ask for a grant that names the folder behind which the other disk begins',
  });
}

async function named<T>(parts: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    throw toFileError(failure, printFilePath(parts));
  }
}
